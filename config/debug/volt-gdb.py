# SPDX-License-Identifier: MIT
"""Commands for gdb that show the tasks of a Volt program: alive, stopped, or as a core dump.

  (gdb) source /usr/share/volt/volt-gdb.py
  (gdb) volt tasks            all tasks: what each waits for, and the coroutines that await each other, innermost first
  (gdb) volt tasks 17         the task with this number
  (gdb) volt workers          the workers: their threads, and the task that each runs
  (gdb) volt where            the coroutines that await the one in which the selected thread runs

A running task is suspended in no coroutine: select its thread and use `volt where`. The places are those of the
awaits; of the coroutine that runs, the place is that of its beginning. The program needs symbols and line numbers, but
no types, because runtime/sched/debugger.cpp has a table of the offsets that this script reads.
"""

import re

import gdb

VERSION = 2
ACTIVE = 3  # the bits of a task's state that count why it is active (runtime/sched/task_state.h)
CHAIN_MAX = 1000  # a longer chain is a sign of overwritten memory
STACK_MAX = 1 << 20
PATH_BYTES_MAX = 1000
SAVED_REGISTERS = ("rbx", "rbp", "r12", "r13", "r14", "r15", "rdi", "x0", *(f"x{n}" for n in range(19, 29)))
# The members of DebuggerLayout (runtime/sched/debugger.cpp), in its order.
MEMBERS = (
    "version", "entries", "class_names", "class_name_bytes", "class_count", "wait_names", "wait_count",
    "entry_tasks", "entry_context", "entry_thread", "entry_next",
    "list_head", "node_next", "task_node",
    "task_id", "task_state", "task_class", "task_root", "task_resume_point", "task_await", "task_waits_for",
    "context_task", "context_worker",
    "frame_continuation", "frame_await",
)


def word(address, size=8):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, size).tobytes(), "little")


def text(address, size_max):
    """Returns the text at `address`, which ends with a zero."""
    found = b""
    while len(found) != size_max and (byte := word(address + len(found), 1)) != 0:
        found += bytes([byte])
    return found.decode(errors="replace")


class Layout:
    def __init__(self):
        try:
            at = int(gdb.parse_and_eval("(unsigned long)&volt_debugger_layout"))
        except gdb.error as error:
            raise gdb.GdbError("this program has no symbols of Volt's runtime") from error
        for i, name in enumerate(MEMBERS):
            setattr(self, name, word(at + 8 * i))
        if self.version != VERSION:
            raise gdb.GdbError(f"this script reads version {VERSION} of Volt's layout, not {self.version}")

    def wait_name(self, number):
        return text(word(self.wait_names + 8 * number), 40) if number < self.wait_count else "?"

    def class_name(self, number):
        if number >= self.class_count:
            return ""
        return text(self.class_names + number * self.class_name_bytes, self.class_name_bytes)


class Worker:
    def __init__(self, layout, context, thread):
        self.index = word(context + layout.context_worker, 4)
        self.task = word(context + layout.context_task)
        self.thread = word(thread, 4)


class Task:
    def __init__(self, layout, address):
        self.address = address
        self.id = word(address + layout.task_id)
        self.active = word(address + layout.task_state, 4) & ACTIVE != 0
        self.work = layout.class_name(word(address + layout.task_class, 2))
        self.root = word(address + layout.task_root)
        self.resume_point = word(address + layout.task_resume_point)
        self.awaits_at = word(address + layout.task_await)
        self.waits_for = layout.wait_name(word(address + layout.task_waits_for, 1))


def entries(layout):
    entry = layout.entries
    while entry != 0:
        yield entry
        entry = word(entry + layout.entry_next)


def workers(layout):
    found = []
    for entry in entries(layout):
        context = word(entry + layout.entry_context)
        if context != 0:
            found.append(Worker(layout, context, word(entry + layout.entry_thread)))
    return sorted(found, key=lambda worker: worker.index)


def tasks(layout):
    for entry in entries(layout):
        head = word(entry + layout.entry_tasks) + layout.list_head
        node = word(head + layout.node_next)
        while node != head:
            yield Task(layout, node - layout.task_node)
            node = word(node + layout.node_next)


def symbol_at(address):
    """Returns the name of the function at `address`, and the distance to its begin; or None."""
    line = gdb.execute(f"info symbol {address}", to_string=True)
    if " in section " not in line:
        return None
    name = line.rpartition(" in section ")[0]
    name, plus, offset = name.rpartition(" + ")
    return (name, int(offset)) if plus else (offset, 0)


def place_of(await_address):
    """Returns the place that a std::source_location of libstdc++ refers to, or None."""
    if await_address == 0:
        return None
    try:
        return f"{text(word(await_address), PATH_BYTES_MAX)}:{word(await_address + 16, 4)}"
    except gdb.MemoryError:  # of a coroutine that is not one of Volt's types
        return None


def describe(function, await_address):
    """Describes the coroutine that `function` resumes, and the await that it is suspended in."""
    name = symbol_at(function)[0]
    for suffix in (" [clone .resume]", " (.resume)", ".resume", " [clone .actor]", " (.actor)", ".actor"):
        name = name.removesuffix(suffix)
    # g++ names the parts of f(int) like this: f(f(int)::_Z1fi.Frame*)
    parts = re.fullmatch(r"(.*)\((\1.*)::_Z\S*Frame\*\)", name)
    if parts:
        name = parts[2]
    if place := place_of(await_address):
        return f"{name}  {place}"
    begin = gdb.find_pc_line(function)
    return f"{name}  {begin.symtab.filename}:{begin.line}" if begin.symtab else name


def chain(layout, frame, await_address):
    """Yields the frame of a coroutine, of the one that awaits it, and so on, each with its await."""
    for _ in range(CHAIN_MAX):
        try:
            found = symbol_at(word(frame))
        except gdb.MemoryError:
            return
        if found is None or found[1] != 0 or "noop" in found[0].lower():
            return
        yield frame, await_address
        await_address = word(frame + layout.frame_await)
        frame = word(frame + layout.frame_continuation)


def print_chain(frames):
    for number, (frame, await_address) in enumerate(frames):
        print(f"    #{number} {describe(word(frame), await_address)}")


def print_task(layout, task, running):
    if task.address in running:
        state = f"runs on worker {running[task.address].index}"
    elif task.active:
        state = "is queued"
    else:
        state = f"waits for {task.waits_for}"
    print(f"task {task.id}: {state}" + (f", {task.work}" if task.work else ""))
    if task.address not in running:
        print_chain(chain(layout, task.resume_point, task.awaits_at))


def coroutine_of(frame):
    """Returns the coroutine that runs in a frame of the stack, or None: the address whose first word is the function."""
    found = symbol_at(frame.pc())
    if found is None or not ("resume" in found[0] or ".actor" in found[0]):
        return None
    function = frame.pc() - found[1]
    if ".cold" in found[0] and frame.function() is not None:  # g++ moves the unlikely part of a function elsewhere
        function = int(frame.function().value().address)
    candidates = []
    for register in SAVED_REGISTERS:
        try:
            candidates.append(int(frame.read_register(register)))
        except (gdb.error, ValueError):
            pass
    older = frame.older()
    low = int(frame.read_register("sp"))
    high = int(older.read_register("sp")) if older else low
    candidates += [word(at) for at in range(low, min(high, low + STACK_MAX), 8)]
    for candidate in candidates:
        try:
            if candidate % 8 == 0 and word(candidate) == function:
                return candidate
        except (gdb.error, OverflowError):
            pass
    return None


class Volt(gdb.Command):
    """Show the tasks and workers of a Volt program."""

    def __init__(self):
        super().__init__("volt", gdb.COMMAND_STATUS, prefix=True)


class VoltTasks(gdb.Command):
    """volt tasks [ID]: show all tasks, or one: what each waits for, and its coroutines, innermost first."""

    def __init__(self):
        super().__init__("volt tasks", gdb.COMMAND_STATUS)

    def invoke(self, argument, _):
        layout = Layout()
        running = {worker.task: worker for worker in workers(layout)}
        found = [task for task in tasks(layout) if not argument or task.id == int(argument)]
        for task in found:
            print_task(layout, task, running)
        if not found:
            print("no task" if not argument else f"no task has the number {argument}")


class VoltWorkers(gdb.Command):
    """volt workers: show the workers, their threads and the tasks that they run."""

    def __init__(self):
        super().__init__("volt workers", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _):
        layout = Layout()
        threads = {thread.ptid[1]: thread.num for thread in gdb.selected_inferior().threads()}
        for worker in workers(layout):
            line = f"worker {worker.index}: thread {threads.get(worker.thread, '?')} (LWP {worker.thread})"
            if worker.task == 0:
                print(f"{line}, runs no task")
            else:
                task = Task(layout, worker.task)
                print(f"{line}, runs task {task.id}" + (f", {task.work}" if task.work else ""))


class VoltWhere(gdb.Command):
    """volt where: show the coroutines that await the one in which the selected thread runs, innermost first."""

    def __init__(self):
        super().__init__("volt where", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _):
        layout = Layout()
        thread = gdb.selected_thread()
        for worker in workers(layout):
            if thread is not None and worker.thread == thread.ptid[1] and worker.task != 0:
                task = Task(layout, worker.task)
                print(f"task {task.id} on worker {worker.index}" + (f", {task.work}" if task.work else ""))
        frame = gdb.newest_frame()
        while frame is not None:
            coroutine = coroutine_of(frame) if frame.type() == gdb.NORMAL_FRAME else None
            if coroutine is not None:
                print_chain(chain(layout, coroutine, 0))
                return
            frame = frame.older()
        print("the selected thread runs in no coroutine")


Volt()
VoltTasks()
VoltWorkers()
VoltWhere()
