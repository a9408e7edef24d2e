// SPDX-License-Identifier: MIT

// WorkerLoop: the decisions of a worker: in which order it takes work, where it puts the tasks that it wakes, when it
// wakes another worker, when it parks, and what it takes from a stuck worker. Worker derives from it (worker.h). So do
// the workers of the models (tests/model/bodies/loop_worker.h): the explorer runs the decisions that ship, and needs no
// reactor, clock or coroutine for it.
//
// `Host` is the class that derives, and has WorkerLoop as a friend. It provides:
//
//   index_, is_spare_, scheduler_            its number; whether it is a spare (spare_workers.h); what workers share
//   lifo_, queue_, urgent_, pinned_, inbox_  its queues
//   limits_                                  BacklogLimits of queue_. The host calls exclude_thieves() in its
//                                            constructor if no worker steals from it, and follow() in end_tick
//   counters_, random_, timeline_            WorkerCounters, Random, TimelineRing
//   collect_events, unwatch, drained         what concerns its reactor and its timers; collect_events calls drain_inbox
//   polls_before_io, take_io_turn            how often a tick collects events, and how
//   adopt                                    lists the tasks of a batch from the global queue that are in no list yet,
//                                            and may start to load their memory
//   run, tick_time_ns, end_tick              runs a task; when a tick began; what to do after a tick
//   goes_to_heavy, heavy_is_due, note_due_turn, may_take_heavy      heavy tasks (heavy_queue.h)
//   before_park, sleep, poll_without_sleep, clock_moved             parking, except for its decisions; before_park
//                                                                   returns false if the worker has to do more first
//   worth_forking_for, fork_for, stay_for_forks                     thefts of parts of forks
//   stuck, has_events_to_rescue, has_due_timers, rescue_events      rescue (watchdog.h)
//
// tests/model/mutants.cmake makes copies of this file with faults, which the explorer must find.
// Threads: the worker's. Any thread may call worth_stealing_from() and has_tasks_to_rescue().
// Rejected: a loop that calls a virtual interface. Each task would cost several indirect calls.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "runtime/base/cache_line.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/uninitialized.h"
#include "runtime/sched/budget.h"
#include "runtime/sched/interval.h"

namespace volt::sched {

template <class Host, class Task>
class WorkerLoop {
 public:
  // Puts the task into the LIFO slot, so that it runs next. The task that was in the slot moves to the queue.
  void push_next(Task& task) noexcept {
    if (put_aside(task)) return;
    if (Task* previous = host().lifo_.put(task)) push_back(*previous);
  }

  // Puts the task at the end of the queue.
  void push_back(Task& task) noexcept {
    if (put_aside(task)) return;
    push_to_queue(task);
    notify_if_worth_it();
  }

  // Wakes a parked worker, if there is one and no worker searches.
  void notify_one() noexcept {
    if (!shared().idle().any_parked()) return;  // no fence needed: this worker is awake and will get to the work
    if (shared().notify_one()) host().counters_.wakes_sent.add();
  }

  // Returns whether an idle worker should steal tasks from this one.
  [[nodiscard]] bool worth_stealing_from() const noexcept { return host().limits_.worth_a_theft(host().queue_.size()); }

  // Returns whether a rescuer would find tasks of this worker to take.
  [[nodiscard]] bool has_tasks_to_rescue() const noexcept {
    return host().has_events_to_rescue() || !host().queue_.empty() || !host().urgent_.empty() ||
           !host().lifo_.empty() || host().inbox_.has_movable() || host().has_due_timers();
  }

 protected:
  [[nodiscard]] Host& host() noexcept { return static_cast<Host&>(*this); }
  [[nodiscard]] const Host& host() const noexcept { return static_cast<const Host&>(*this); }
  [[nodiscard]] auto& shared() const noexcept { return host().scheduler_; }

  // Works until the scheduler has stopped.
  void run_until_stopped() noexcept {
    for (;;) {
      start_round();
      if (run_tick() != 0) continue;
      if (find_elsewhere()) continue;
      if (shared().stopping() && host().drained()) break;
      park();
    }
  }

  void start_round() noexcept {
    urgent_due_ = true;
    host().collect_events();
  }

  // Queues a task that an event has woken. The first one of a batch goes into the LIFO slot if it is free, and so runs
  // next; the others keep their order of arrival. The caller then calls notify_if_worth_it().
  void queue_woken(Task& task) noexcept {
    if (put_aside(task) || host().lifo_.try_put(task)) return;
    push_to_queue(task);
  }

  void drain_inbox() noexcept {
    if (host().inbox_.empty()) return;
    auto content = host().inbox_.drain();
    while (Task* task = content.tasks.pop_front()) push_back(*task);
    host().pinned_.append(content.pinned);
    while (auto* request = content.unwatch.pop_front()) host().unwatch(request->source);
  }

  // Wakes a worker if this worker's backlog is worth it. A wake-up costs as much as several requests, so no worker is
  // woken for tasks that this worker will soon run itself.
  void notify_if_worth_it() noexcept {
    const std::uint32_t backlog = host().queue_.size();
    if (backlog == 0) return;
    show_backlog(backlog);
    if (host().limits_.worth_a_wake(backlog)) notify_one();
  }

  // Tells the workers that search whether this one has a backlog that is worth a theft. Called when the queue has
  // changed, and at the end of a tick, which changes the average duration of tasks. A searching thief does so only
  // after it has taken one of the stolen tasks, so that others do not steal that task at once.
  void show_backlog() noexcept { show_backlog(host().queue_.size()); }
  [[gnu::always_inline]] void show_backlog(std::uint32_t backlog) noexcept {
    const bool worth = host().limits_.worth_a_theft(backlog);
    if (worth != shows_backlog_) show_or_hide_backlog();
  }

  // Called when this worker has found work. Ends its search. After a sleep, also reports to the watchdog that the
  // worker is active again.
  void note_work() noexcept {
    if (searching_) end_search_with_work();
    if (slept_) shared().watchdog().activity();
    slept_ = false;
  }

  [[nodiscard]] Task* next_light_task() noexcept {
    if (urgent_due_) {
      urgent_due_ = false;
      if (Task* task = take_urgent()) return task;
    }
    if (++polls_since_global_ >= polls_between_global_) {
      polls_since_global_ = 0;
      if (Task* task = take_from_global()) return task;
    }
    if (Task* task = take_lifo()) {
      if (++lifo_polls_ <= kLifoPollsMax) return counted(task, host().counters_.from_lifo);
      push_back(*task);
    }
    lifo_polls_ = 0;
    if (Task* task = take_queued()) return task;
    if (Task* task = take_from_global()) return task;
    return take_urgent();
  }

  // Runs tasks until there are no more, or until the tick is over. Returns their number.
  [[nodiscard]] std::uint32_t run_tick() noexcept {
    const std::uint32_t io_turn = host().polls_before_io();
    const std::int64_t began_ns = host().tick_time_ns();
    std::uint32_t polls = 0;
    bool ran_out = false;
    lifo_polls_ = 0;
    Task* due = host().heavy_is_due() ? pop_heavy() : nullptr;
    while (polls != TickBudget::kPolls) {
      const bool is_due = due != nullptr;
      Task* task = is_due ? std::exchange(due, nullptr) : next_task();
      ran_out = task == nullptr;
      if (ran_out) break;
      note_work();
      host().run(*task);
      ++polls;
      if (is_due) host().note_due_turn();
      if (++polls_since_io_ < io_turn) continue;
      host().take_io_turn();
      if (host().heavy_is_due()) break;  // the next tick begins with it
    }
    host().end_tick(polls, began_ns, ran_out);
    show_backlog();
    if (polls != 0 && shared().watchdog().any_stuck()) help_stuck_workers();
    return polls;
  }

  // Returns whether there was anything to do; takes tasks of stuck workers if so.
  bool help_stuck_workers() noexcept {
    bool helped = false;
    shared().victims().visit_all(host().random_, [&](std::uint32_t i) {
      Host& victim = shared().worker(i);
      if (i != host().index_ && is_stuck(victim) && rescue(victim)) helped = true;
      return false;
    });
    return help_stuck_spares() || helped;
  }

  [[nodiscard]] Task* take_lifo() noexcept { return host().lifo_.empty() ? nullptr : host().lifo_.take(); }

  // Set by the host, by the average duration of its tasks.
  std::uint32_t polls_between_global_ = GlobalInterval::kTicksMin;

  std::uint32_t polls_since_io_ = 0;
  bool urgent_due_ = false;  // events were collected after an urgent task last ran
  bool searching_ = false;   // has the duty to search (IdleState)
  bool slept_ = false;       // has slept, and has run nothing since

 private:
  // The maximum number of consecutive polls from the LIFO slot. After that, the task in the slot moves to the end of
  // the queue. Otherwise two tasks that always wake each other would starve the rest.
  static constexpr std::uint32_t kLifoPollsMax = 3;
  static constexpr std::uint32_t kGlobalBatchMin = 4;
  static constexpr std::uint32_t kGlobalBatchMax = 64;

  // Puts a task that is pinned, urgent or heavy into the queue of such tasks. Returns false for the others.
  [[nodiscard, gnu::always_inline]] bool put_aside(Task& task) noexcept {
    if (task.pinned) {
      host().pinned_.push_back(&task);
    } else if (task.work_class.is_urgent()) {
      host().urgent_.push(&task);
    } else if (host().goes_to_heavy(task)) {
      shared().queue_heavy(task);
    } else {
      return false;
    }
    return true;
  }

  [[gnu::always_inline]] void push_to_queue(Task& task) noexcept {
    if (!host().queue_.push(&task)) host().counters_.queue_overflows.add();
  }

  [[gnu::noinline]] void show_or_hide_backlog() noexcept {
    shows_backlog_ = !shows_backlog_;
    shows_backlog_ ? shared().backlogs().add(host().index_) : shared().backlogs().remove(host().index_);
  }

  // Counts the task that was taken from a queue, if there was one.
  static Task* counted(Task* task, auto& counter) noexcept {
    if (task != nullptr) counter.add();
    return task;
  }

  [[nodiscard, gnu::always_inline]] Task* take_urgent() noexcept {
    return host().urgent_.empty() ? nullptr : pop_urgent();
  }
  [[nodiscard, gnu::noinline]] Task* pop_urgent() noexcept {
    return counted(host().urgent_.pop(), host().counters_.from_local);
  }

  // Takes tasks from the two queues in turn, so that neither starves the other.
  [[nodiscard]] Task* take_queued() noexcept {
    took_pinned_ = !took_pinned_ && !host().pinned_.empty();
    if (!took_pinned_) {
      if (Task* task = counted(host().queue_.pop(), host().counters_.from_local)) {
        if (shows_backlog_) show_backlog();
        return task;
      }
    }
    return counted(host().pinned_.pop_front(), host().counters_.from_pinned);
  }

  [[nodiscard]] Task* take_from_global() noexcept {
    auto& global = shared().global();
    const std::size_t waiting = global.size();
    if (waiting == 0) return nullptr;
    const auto share = static_cast<std::uint32_t>(waiting / shared().worker_count() + 1);
    const std::uint32_t wanted =
        std::min(std::clamp(share, kGlobalBatchMin, kGlobalBatchMax), host().queue_.room() + 1);
    VOLT_UNINITIALIZED std::array<Task*, kGlobalBatchMax> batch;
    const std::uint32_t count = global.pop_batch(batch.data(), wanted);
    if (count == 0) return nullptr;
    host().counters_.from_global.add(count);
    // Other threads have written the tasks. They are loaded all at once here, not one after the other when they run.
    for (std::uint32_t i = 0; i != count; ++i) base::prefetch(*batch[i]);
    host().adopt(std::span<Task* const>(batch.data(), count));
    for (std::uint32_t i = 1; i != count; ++i) push_to_queue(*batch[i]);
    show_backlog();
    return batch[0];
  }

  [[nodiscard]] Task* next_task() noexcept {
    Task* task = next_light_task();
    return task != nullptr || shared().heavy().empty() ? task : take_heavy();
  }

  // Takes a heavy task. It will delay whatever the reactor reports later, so events are collected first. Light tasks
  // that wait for other workers go first as well: a worker that takes heavy tasks is never without work, so it would
  // not steal while any heavy task waits.
  [[nodiscard]] Task* take_heavy() noexcept {
    if (!host().may_take_heavy()) return nullptr;
    host().take_io_turn();
    if (Task* task = next_light_task()) return task;
    Task* task = !host().is_spare_ && steal() ? next_light_task() : nullptr;
    return task != nullptr ? task : pop_heavy();
  }

  [[nodiscard]] Task* pop_heavy() noexcept { return counted(shared().heavy().pop(), host().counters_.from_heavy); }

  // ---- searching ----

  // Ends the search of this worker, which has found work. If it was the last searcher and there is more work, wakes
  // another worker to search.
  void end_search_with_work() noexcept {
    searching_ = woken_to_search_ = false;
    show_backlog();
    const bool was_last = shared().idle().stop_search(host().index_);
    const bool shared_work = !shared().global().empty() || !shared().heavy().empty();
    if (was_last && (shared_work || host().limits_.worth_a_wake(host().queue_.size()))) notify_one();
  }

  // Searches the other workers for work: first for tasks, then for parts of forks.
  [[nodiscard]] bool find_elsewhere() noexcept {
    if (!shared().stealing()) return false;
    if (!searching_) {
      if (!shared().idle().try_start_search(host().index_)) return false;
      searching_ = true;
    }
    host().timeline_.begin_search();
    if (steal() || help_stuck_spares()) return true;
    const bool forked = shared().victims().visit_all(
        host().random_, [this](std::uint32_t i) { return i != host().index_ && host().fork_for(shared().worker(i)); });
    return forked || host().stay_for_forks();
  }

  // Steals tasks of another worker, or takes those of a stuck one. Returns false if there are none.
  [[nodiscard]] bool steal() noexcept {
    const auto& backlogs = shared().backlogs();
    const auto& watchdog = shared().watchdog();
    if (backlogs.empty() && !watchdog.any_stuck()) return false;
    return shared().victims().visit_near_first(host().random_, shared().places(), host().index_, [&](std::uint32_t i) {
      if (i == host().index_ || !(backlogs.contains(i) || watchdog.may_be_stuck(i))) return false;
      host().counters_.steal_attempts.add();
      return steal_from(shared().worker(i));
    });
  }

  [[nodiscard]] bool steal_from(Host& victim) noexcept {
    if (is_stuck(victim)) return rescue(victim);
    if (!victim.worth_stealing_from()) return false;
    host().timeline_.begin_theft();
    const std::uint32_t tasks = steal_half(victim);
    host().timeline_.end_theft(victim.index_, tasks);
    return tasks != 0;
  }

  // Returns the number of tasks that were stolen.
  std::uint32_t steal_half(Host& victim) noexcept {
    const std::uint32_t count = victim.queue_.steal_half_into(host().queue_);
    host().counters_.stolen.add(count);
    host().counters_.stolen_from[victim.index_].add(count);
    if (!searching_) show_backlog();
    return count;
  }

  // ---- rescue ----

  [[nodiscard]] bool is_stuck(const Host& victim) const noexcept {
    return shared().watchdog().may_be_stuck(victim.index_) && victim.stuck();
  }

  // A spare that was given streams may get stuck like a worker.
  bool help_stuck_spares() noexcept {
    bool helped = false;
    for (std::uint32_t i = 0; i != shared().spares().count(); ++i) {
      Host& victim = shared().spares().worker(i);
      if (&victim != &host() && is_stuck(victim) && rescue(victim)) helped = true;
    }
    return helped;
  }

  // Takes the events, the timers that are due and the tasks of a stuck worker. Returns whether there were any.
  [[nodiscard]] bool rescue(Host& victim) noexcept {
    if (!victim.has_tasks_to_rescue()) return false;
    host().timeline_.begin_theft();
    std::uint64_t tasks = host().rescue_events(victim);
    const auto take = [&](Task& task) {
      push_back(task);
      ++tasks;
    };
    if (Task* task = victim.lifo_.take()) take(*task);
    while (Task* task = victim.urgent_.pop()) take(*task);
    base::Chain<Task> posted = victim.inbox_.take_tasks();
    while (Task* task = posted.pop_front()) take(*task);
    tasks += steal_half(victim);

    host().timeline_.end_rescue(victim.index_, tasks);
    if (tasks == 0) return false;
    host().counters_.rescues.add();
    host().counters_.rescued_tasks.add(tasks);
    return true;
  }

  // ---- parking ----

  // A worker that has to do more first does not park. It keeps its duty to search, and looks for work again (S).
  void park() noexcept {
    if (!host().before_park()) return host().poll_without_sleep();
    auto& idle = shared().idle();
    const bool was_searching = searching_;
    searching_ = false;
    idle.park(host().index_);
    if (may_not_sleep(was_searching)) {
      searching_ = idle.unpark(host().index_);
      if (was_searching && !searching_) searching_ = idle.try_start_search(host().index_);  // S: pushers saw it search
      slept_ = true;  // for the watchdog, which may have seen it parked
      host().poll_without_sleep();
      return;
    }
    if (was_searching && woken_to_search_) host().counters_.wakes_wasted.add();
    host().counters_.parks.add();
    host().sleep();
    searching_ = woken_to_search_ = idle.unpark(host().index_);
    slept_ = true;
  }

  // Returns whether there is work, so that the worker must not sleep. Called after the worker has announced that it is
  // parked (idle_state.h, invariant P). Only a worker that has searched checks the queues of other workers. Otherwise
  // enough other workers search, and they check these queues. A worker shows its backlog before it looks for a parked
  // worker, so the fences of I1 and I5 make the set of backlogs as good as the queues.
  [[nodiscard]] bool may_not_sleep(bool searched) const noexcept {
    if (!host().inbox_.empty() || !shared().global().empty() || !shared().heavy().empty()) return true;
    if (shared().stopping() || host().clock_moved()) return true;
    if (!searched) return false;
    for (std::uint32_t i = 0; i != shared().worker_count(); ++i) {
      if (i == host().index_) continue;
      const Host& other = shared().worker(i);
      if ((shared().backlogs().contains(i) && other.worth_stealing_from()) || other.worth_forking_for()) return true;
    }
    return false;
  }

  bool shows_backlog_ = false;  // it is in Scheduler::backlogs()
  std::uint32_t polls_since_global_ = 0;
  std::uint32_t lifo_polls_ = 0;  // consecutive polls from the LIFO slot in this tick
  bool took_pinned_ = false;      // whether the last task came from pinned_
  bool woken_to_search_ = false;  // woken to search, and has found nothing since; counts wakes that found no work
};

}  // namespace volt::sched
