// SPDX-License-Identifier: MIT

// Reports of the tasks of a scheduler (Scheduler::tasks).

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/function_name.h"
#include "runtime/sched/await_chain.h"
#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

struct Release {
  void operator()(TaskHeader* task) const noexcept { task->release(); }
};
using TaskReference = std::unique_ptr<TaskHeader, Release>;

// An incomplete report is collected again at most this many times, a millisecond apart.
constexpr int kTriesMax = 10;

// A task that is in the report, before names are looked up.
struct ListedTask {
  const void* code;
  std::source_location detached_at;
  TaskReference task = nullptr;  // null unless its chain is wanted
};

// The chains of several tasks, one after the other.
struct Chains {
  std::vector<AwaitLink> links;
  std::vector<std::size_t> counts;  // of links, one for each task
};

Chains read_chains(std::span<ListedTask> listed, TaskReport& report) {
  Chains chains;
  chains.counts.reserve(listed.size());
  std::array<AwaitLink, kAwaitLinksMax> links;
  for (std::size_t i = 0; i != listed.size(); ++i) {
    const std::size_t count = read_await_chain(*listed[i].task, links);
    if (count != 0) {  // it may have been runnable when it was listed
      report.tasks[i].phase = TaskPhase::waiting;
      report.tasks[i].waits_for = listed[i].task->waits_for.load(base::relaxed);  // relaxed: a report
    }
    listed[i].task.reset();
    chains.counts.push_back(count);
    chains.links.insert(chains.links.end(), links.begin(), links.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return chains;
}

// Stripped programs have no symbols, but the place of an await has the name of its function.
AwaitInfo describe(const AwaitLink& link) {
  AwaitInfo info{.function = base::function_name(link.code), .at = place_text(link.at)};
  if (info.function.empty()) info.function = link.at.function_name();
  return info;
}

void describe_awaits(const Chains& chains, TaskReport& report) {
  auto link = chains.links.begin();
  for (std::size_t i = 0; i != chains.counts.size(); ++i) {
    for (std::size_t left = chains.counts[i]; left != 0; --left) report.tasks[i].awaits.push_back(describe(*link++));
  }
}

}  // namespace

TaskReport Scheduler::tasks(std::size_t count_max, bool with_awaits) const {
  TaskReport report;
  std::vector<ListedTask> listed;
  report.tasks.reserve(count_max);  // allocates outside the locks
  listed.reserve(count_max);
  const auto collect = [&] {
    report.tasks.clear();
    listed.clear();
    std::vector<TaskId> running;
    for_each_worker([&](const Worker& worker) {
      const std::uint64_t progress = worker.progress();
      if (!Worker::in_task(progress)) return;
      if (const auto turn = worker.turn(progress)) running.push_back(turn->task);
    });
    const std::int64_t now_ns = clock_.now_ns();
    report.live = live_tasks();
    const auto list = [&](const TaskHeader& task) {
      TaskInfo info{.id = task.id, .waits_for = task.waits_for.load(base::relaxed)};  // relaxed: a report
      if (!task.state.suspended()) {
        const bool runs = std::ranges::find(running, task.id) != running.end();
        info.phase = runs ? TaskPhase::running : TaskPhase::queued;
      }
      info.cancelled = task.state.cancel_requested();
      const std::int64_t turn_at_ns = task.turn_at_ns.load(base::relaxed);  // relaxed: a report
      info.since = std::chrono::nanoseconds(std::max<std::int64_t>(0, now_ns - turn_at_ns));
      report.tasks.push_back(std::move(info));
      listed.push_back({task.code, task.detached_at.load(base::relaxed)});  // relaxed: a report
      if (!with_awaits) return;
      auto& shared = const_cast<TaskHeader&>(task);  // no task is constant, only the visit
      shared.state.add_reference();
      listed.back().task.reset(&shared);
    };
    outside_tasks_.visit_oldest(count_max, list);
    for_each_worker([&](Worker& worker) { worker.tasks().visit_oldest(count_max - report.tasks.size(), list); });
    // Last: a task that a worker adopts at this time is left out, and not listed twice.
    std::size_t visits = 0;
    global_.visit_while([&](const TaskHeader& task) {
      if (visits++ == count_max || report.tasks.size() == count_max) return false;
      if (task.awaits_adoption) list(task);
      return true;
    });
  };
  collect();
  // Tasks that a worker is taking out of the global queue are in no list. They are in its list soon.
  for (int tries = kTriesMax; tries != 0 && report.tasks.size() < std::min({count_max, report.live, live_tasks()});
       --tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    collect();
  }
  if (with_awaits) describe_awaits(read_chains(listed, report), report);
  for (std::size_t i = 0; i != listed.size(); ++i) {
    report.tasks[i].function = base::function_name(listed[i].code);
    report.tasks[i].detached_at = place_text(listed[i].detached_at);
  }
  return report;
}

}  // namespace volt::sched
