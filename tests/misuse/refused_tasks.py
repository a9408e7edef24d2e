# SPDX-License-Identifier: MIT
"""Wrong programs with tasks (runtime/task.h, runtime/spawn.h); beside each is a similar one that compiles."""

from refused_programs import Wrong

BY_VALUE = "a spawned coroutine takes its parameters by value: the caller's variables may be gone when it runs"
OWNERS = (
    "a spawned coroutine takes owners (std::unique_ptr, std::shared_ptr), not pointers: what they point to may be gone "
    "when it runs"
)
NO_VIEWS = (
    "a spawned coroutine owns what it reads: take std::string, std::vector or another owner, not a std::string_view or "
    "std::span"
)
EXACT = (
    "a spawned callable with an overloaded or generic call operator takes exactly the types of the arguments, by value: "
    "write the types of its parameters, and pass arguments of these types"
)
NO_REFERENCE_WRAPPERS = (
    "a spawned coroutine takes no std::reference_wrapper: share the object (std::shared_ptr), or, where it outlives the "
    "task, take volt::Borrowed and pass volt::borrow(object)"
)
NO_CAPTURES = "a spawned callable captures nothing: pass what it needs as arguments, by value"
A_COROUTINE = "this function takes a coroutine: a callable that returns a Task"
ARGUMENTS = "the coroutine cannot be called with these arguments"
CO_RETURN = "a function that returns a Task is a coroutine: write co_return instead of return|use of deleted function"
AWAIT_TASK = "await a Task once, with std::move: co_await std::move(task)"
AWAIT_HANDLE = "await a JoinHandle once, with std::move: co_await std::move(handle)"

TASKS = [
    Wrong("a spawned coroutine with a reference", "runtime.spawn([](const std::string&) -> Task<> { co_return; }, text);",
          "runtime.spawn([](std::string) -> Task<> { co_return; }, text);", BY_VALUE),
    Wrong("a spawned function with a reference", "runtime.spawn(refer, text);", "runtime.spawn(length, text);", BY_VALUE,
          "inline Task<> refer(const std::string&) { co_return; }"),
    Wrong("a spawned function object with a reference", "runtime.spawn(Refer(), text);", "runtime.spawn(Own(), text);",
          BY_VALUE,
          "struct Refer { Task<> operator()(const std::string&) const { co_return; } };"
          "struct Own { Task<> operator()(std::string) const { co_return; } };"),
    Wrong("a spawned mutable, noexcept call operator with a reference", "runtime.spawn(Refer(), text);",
          "runtime.spawn(Own(), text);", BY_VALUE,
          "struct Refer { Task<> operator()(std::string&&) noexcept { co_return; } };"
          "struct Own { Task<> operator()(std::string) noexcept { co_return; } };"),
    Wrong("a spawned generic lambda with a reference",
          "runtime.spawn([](const auto&) -> Task<> { co_return; }, std::string(text));",
          "runtime.spawn([](auto) -> Task<> { co_return; }, std::string(text));", EXACT),
    Wrong("a spawned generic lambda with a forwarding reference",
          "runtime.spawn([](auto&&) -> Task<> { co_return; }, std::string(text));",
          "runtime.spawn([](auto, int) -> Task<> { co_return; }, std::string(text), 1);", EXACT),
    Wrong("a spawned overloaded function object with a reference", "runtime.spawn(Refer(), std::string(text));",
          "runtime.spawn(Own(), std::string(text));", EXACT,
          "struct Refer { Task<> operator()(int) const { co_return; }"
          " Task<> operator()(const std::string&) const { co_return; } };"
          "struct Own { Task<> operator()(int) const { co_return; } Task<> operator()(std::string) { co_return; } };"),
    Wrong("a spawned pointer", "runtime.spawn([](int*) -> Task<> { co_return; }, &number);",
          "runtime.spawn([](std::unique_ptr<int>) -> Task<> { co_return; }, std::make_unique<int>(number));", OWNERS),
    Wrong("a spawned pointer to a generic lambda", "runtime.spawn([](auto) -> Task<> { co_return; }, &number);",
          "runtime.spawn([](auto) -> Task<> { co_return; }, number);", OWNERS),
    Wrong("a spawned view", "runtime.spawn([](std::string_view) -> Task<> { co_return; }, text);",
          "runtime.spawn([](std::string) -> Task<> { co_return; }, text);", NO_VIEWS),
    Wrong("a spawned span", "runtime.spawn([](std::span<int>) -> Task<> { co_return; }, std::span<int>(&number, 1));",
          "runtime.spawn([](std::vector<int>) -> Task<> { co_return; }, std::vector<int>{1});", NO_VIEWS),
    Wrong("a spawned reference wrapper",
          "runtime.spawn([](std::reference_wrapper<int>) -> Task<> { co_return; }, std::ref(number));",
          "runtime.spawn([](Borrowed<int>) -> Task<> { co_return; }, borrow(number));", NO_REFERENCE_WRAPPERS),
    Wrong("a spawned reference wrapper and a generic lambda",
          "runtime.spawn([](auto) -> Task<> { co_return; }, std::ref(number));",
          "runtime.spawn([](auto) -> Task<> { co_return; }, borrow(number));", NO_REFERENCE_WRAPPERS),
    Wrong("a spawned lambda with captures", "runtime.spawn([&]() -> Task<> { ++number; co_return; });",
          "runtime.spawn([](int n) -> Task<> { ++n; co_return; }, number);", NO_CAPTURES),
    Wrong("a spawned plain function", "runtime.spawn(plain);", "runtime.spawn(volt_test::number);", A_COROUTINE),
    Wrong("a spawned coroutine without its argument", "runtime.spawn(length);", "runtime.spawn(length, text);",
          ARGUMENTS),
    Wrong("spawn() of a reference", "spawn([](const std::string&) -> Task<> { co_return; }, text);",
          "spawn([](std::string) -> Task<> { co_return; }, text);", BY_VALUE),
    Wrong("spawn_on() of a view", "spawn_on(0, [](std::string_view) -> Task<> { co_return; }, text);",
          "spawn_on(0, [](std::string) -> Task<> { co_return; }, text);", NO_VIEWS),
    Wrong("spawn_local() of a generic lambda with a reference",
          "spawn_local([](const auto&) -> Task<> { co_return; }, number);",
          "spawn_local([](auto) -> Task<> { co_return; }, number);", EXACT),
    Wrong("spawn_local_on() of a pointer", "spawn_local_on(0, [](int*) -> Task<> { co_return; }, &number);",
          "spawn_local_on(0, [](int) -> Task<> { co_return; }, number);", OWNERS),
    Wrong("a child of a scope with a reference",
          "co_await with_scope([&](Scope& s) -> Task<> { s.spawn([](int&) -> Task<> { co_return; }, number); co_return; });",
          "co_await with_scope([&](Scope& s) -> Task<> { s.spawn([](int) -> Task<> { co_return; }, number); co_return; });",
          BY_VALUE, place="coroutine"),
    Wrong("block_on of a plain function", "runtime.block_on(plain);", "runtime.block_on(volt_test::number);", A_COROUTINE),
    Wrong("all of plain functions", "co_await all([] { return 1; }, [] { return 2; });",
          "co_await all([] { return volt_test::number(); }, [] { return volt_test::number(); });", A_COROUTINE,
          place="coroutine"),
    Wrong("a limit for a plain function", "co_await within(1s, [] { return 1; });",
          "co_await within(1s, [] { return volt_test::number(); });", A_COROUTINE, place="coroutine"),
    Wrong("a value that is returned where a task is promised", "auto make = []() -> Task<int> { return 1; }; (void)make;",
          "auto make = []() -> Task<int> { co_return 1; }; (void)make;", CO_RETURN),
    Wrong("return in a coroutine", "auto make = []() -> Task<std::string> { co_await sleep_for(1s); return \"a\"; }; (void)make;",
          "auto make = []() -> Task<std::string> { co_await sleep_for(1s); co_return \"a\"; }; (void)make;", CO_RETURN),
    Wrong("a task that is awaited as a variable", "auto task = volt_test::number(); co_await task;",
          "auto task = volt_test::number(); co_await std::move(task);", AWAIT_TASK, place="coroutine"),
    Wrong("the value of a task that is awaited as a variable",
          "auto task = volt_test::number(); const int n = co_await task; (void)n;",
          "auto task = volt_test::number(); const int n = co_await std::move(task); (void)n;", AWAIT_TASK,
          place="coroutine"),
    Wrong("a constant task", "const auto task = volt_test::number(); co_await std::move(task);",
          "auto task = volt_test::number(); co_await std::move(task);", AWAIT_TASK, place="coroutine"),
    Wrong("a handle that is awaited as a variable", "auto handle = spawn(volt_test::number); co_await handle;",
          "auto handle = spawn(volt_test::number); co_await std::move(handle);", AWAIT_HANDLE, place="coroutine"),
    Wrong("a fork that calls a coroutine", "fork([] {}, []() -> Task<> { co_return; });", "fork([] {}, [] {});",
          "fork calls plain functions"),
    Wrong("a loop that calls a coroutine", "parallel_for(0, 9, [](int) -> Task<> { co_return; });",
          "parallel_for(0, 9, [](int) {});", "parallel_for calls a plain function"),
]

# Found by clang with VOLT_CHECK_LIFETIMES (docs/tasks.md).
LIFETIMES = [
    Wrong("a task that is kept longer than a temporary", 'auto task = refer(std::string("tmp")); co_await std::move(task);',
          'co_await refer(std::string("tmp"));', "will be destroyed at the end of the full-expression",
          "inline Task<> refer(const std::string&) { co_return; }", place="coroutine"),
    Wrong("a capturing lambda that is called at once",
          "auto task = [number]() -> Task<> { (void)number; co_return; }(); co_await std::move(task);",
          "co_await [number]() -> Task<> { (void)number; co_return; }();",
          "will be destroyed at the end of the full-expression", place="coroutine"),
    Wrong("a task that is returned with a reference to a local", "auto make = [] { int n = 0; return refer(n); }; (void)make;",
          "auto make = [](int& n) { return refer(n); }; (void)make;", "address of stack memory",
          "inline Task<> refer(const int&) { co_return; }"),
]

# Warnings of every compiler, which the projects of volt-new make errors.
IGNORED = [
    Wrong("a task without co_await", "volt_test::number();", "co_await volt_test::number();",
          "a Task runs only while it is awaited: write co_await before the call", place="coroutine"),
    Wrong("a wait without co_await", "sleep_for(1s);", "co_await sleep_for(1s);",
          "nothing waits without co_await: write co_await before the call", place="coroutine"),
    Wrong("a spawned task whose handle is ignored", "spawn(volt_test::number);", "spawn(volt_test::number).detach();",
          "co_await the handle for the result, or call .detach() to do without it", place="coroutine"),
]
