// SPDX-License-Identifier: MIT

#include "runtime/sched/debugger.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/coro/promise.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/task_list.h"
#include "runtime/sched/tasks.h"
#include "runtime/sched/work_class.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // supported by all compilers that build the library

namespace volt::sched {
namespace {

constexpr std::size_t kWaits = static_cast<std::size_t>(WaitsFor::watch) + 1;

const char* const* names_of_waits() noexcept {
  static std::array<const char*, kWaits> names{};
  for (std::size_t i = 0; i != kWaits; ++i) names[i] = to_string(static_cast<WaitsFor>(i)).data();
  return names.data();
}

// Returns where a TaskHeader has its ListNode.
std::uint64_t offset_of_node() noexcept {
  alignas(TaskHeader) static std::byte place[sizeof(TaskHeader)];
  auto* const task = reinterpret_cast<TaskHeader*>(place);
  return static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(static_cast<base::ListNode*>(task)) - place);
}

std::mutex g_entries_mutex;

}  // namespace

// The members are the words that config/debug/volt-gdb.py expects, in its order.
struct DebuggerLayout {
  std::uint64_t version = 2;
  DebuggerEntry* entries = nullptr;  // the first
  const char* class_names = WorkClass::name_table();
  std::uint64_t class_name_bytes = WorkClass::kNameBytes;
  std::uint64_t class_count = WorkClass::kRoutes;
  const char* const* wait_names = names_of_waits();
  std::uint64_t wait_count = kWaits;

  std::uint64_t entry_tasks = offsetof(DebuggerEntry, tasks_);
  std::uint64_t entry_context = offsetof(DebuggerEntry, context_);
  std::uint64_t entry_thread = offsetof(DebuggerEntry, thread_);
  std::uint64_t entry_next = offsetof(DebuggerEntry, next_);

  std::uint64_t list_head = offsetof(TaskList, tasks_);  // a List begins with its head, a ListNode
  std::uint64_t node_next = offsetof(base::ListNode, next);
  std::uint64_t task_node = offset_of_node();

  std::uint64_t task_id = offsetof(TaskHeader, id);
  std::uint64_t task_state = offsetof(TaskHeader, state);
  std::uint64_t task_class = offsetof(TaskHeader, work_class);
  std::uint64_t task_root = offsetof(TaskHeader, root);
  std::uint64_t task_resume_point = offsetof(TaskHeader, resume_point);
  std::uint64_t task_await = offsetof(TaskHeader, resume_point) + offsetof(coro::AwaitPoint, at);
  std::uint64_t task_waits_for = offsetof(TaskHeader, waits_for);

  std::uint64_t context_task = offsetof(Context, task);
  std::uint64_t context_worker = offsetof(Context, worker_index);

  // A frame begins with the addresses of two functions, which resume and destroy it; then comes its promise.
  std::uint64_t frame_continuation = 2 * sizeof(void*) + offsetof(coro::Awaited, awaiter_);
  std::uint64_t frame_await = 2 * sizeof(void*) + offsetof(coro::Awaited, awaited_at_);
};

extern "C" {
[[gnu::used]] DebuggerLayout volt_debugger_layout;
}

DebuggerEntry::DebuggerEntry(const TaskList& tasks, const Context* context, const base::Atomic<pid_t>* thread)
    : tasks_(&tasks), context_(context), thread_(thread) {
  const std::scoped_lock lock(g_entries_mutex);
  next_ = std::exchange(volt_debugger_layout.entries, this);
}

DebuggerEntry::~DebuggerEntry() {
  const std::scoped_lock lock(g_entries_mutex);
  DebuggerEntry** place = &volt_debugger_layout.entries;
  while (*place != this) place = &(*place)->next_;
  *place = next_;
}

}  // namespace volt::sched
