// SPDX-License-Identifier: MIT

// HeavyQueue: the runnable tasks whose turns are known to be long (work_class.h). All workers share it.
//
//   - A worker takes a heavy task when it has found nothing light to run, neither in its own queues nor in those of
//     others. So that heavy tasks cannot starve, each worker gives them at least a fifth of its time
//     (Worker::heavy_is_due).
//   - A spare worker takes a heavy task only with a permit. The watchdog grants permits while stuck threads are blocked
//     rather than computing: a blocked thread leaves its processor to the spare. So at most as many threads compute
//     heavy tasks as there are workers, and the remaining spares stay free for light tasks. A thread that has computed
//     for a second without an end is treated like a blocked one, so that endless tasks do not starve the others. At
//     least one spare has no permit at any time, so that light tasks run even if all heavy ones block.
//
// Rejected: a heavy queue for each worker. A heavy turn lasts for a millisecond or more, so that neither the lock nor
// the lost locality matters, and one queue serves the tasks in the order of their arrival.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/base/atomic.h"
#include "runtime/sched/global_queue.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/work_class.h"

namespace volt::sched {

// The duration of the longest of the last turns of some kind; a hint. Each further turn reduces the value by a share,
// so that a long turn is forgotten after a while.
class LongestTurn {
 public:
  // Records that a turn has ended after `took_ns`.
  void note(std::int64_t took_ns) noexcept {
    // relaxed: a hint; a concurrent note may be lost
    ns_.store(std::max(took_ns, ns() - ns() / kTurnsRemembered), base::relaxed);
  }
  // Records that a turn has lasted for `lasted_ns` and continues.
  void note_running(std::int64_t lasted_ns) noexcept {
    if (lasted_ns > ns()) ns_.store(lasted_ns, base::relaxed);  // relaxed: as in note()
  }
  [[nodiscard]] std::int64_t ns() const noexcept { return ns_.load(base::relaxed); }  // relaxed: a hint

 private:
  static constexpr std::int64_t kTurnsRemembered = 32;

  base::Atomic<std::int64_t> ns_{0};
};

class HeavyQueue {
 public:
  static constexpr std::int64_t kEmpty = std::numeric_limits<std::int64_t>::max();

  void push(TaskHeader& task) noexcept { tasks_.push(&task); }
  [[nodiscard]] TaskHeader* pop() noexcept { return tasks_.pop(); }
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] bool empty() const noexcept { return tasks_.empty(); }
  // Returns the time at which the oldest task became runnable; kEmpty if there is no task.
  [[nodiscard]] std::int64_t oldest_since_ns() const noexcept {
    std::int64_t since_ns = kEmpty;
    tasks_.visit_while([&](const TaskHeader& task) {
      since_ns = task.turn_at_ns.load(base::relaxed);  // relaxed: it came through the queue
      return false;
    });
    return since_ns;
  }

  // A long turn of some work: for how long it has lasted, and how much of that it has computed.
  struct LongTurn {
    WorkClass work_class;
    std::int64_t lasted_ns = 0;
    std::int64_t computed_ns = 0;  // 0: less than a millisecond, or unknown
  };
  // Record a turn that has ended, and one that continues. Any thread.
  void note(const LongTurn& turn) noexcept {
    longest_of(turn.work_class).note(turn.lasted_ns);
    if (turn.computed_ns != 0) longest_computation_.note(turn.computed_ns);
  }
  void note_running(const LongTurn& turn) noexcept {
    longest_of(turn.work_class).note_running(turn.lasted_ns);
    longest_computation_.note_running(turn.computed_ns);
  }
  // Returns for how long work of this class may have to wait without an overload: about as long as the longest of the
  // last turns of its class, or as the longest of the last computations, which may occupy the workers. Turns of other
  // classes that were only blocked do not count, because spares replace the workers that are blocked.
  [[nodiscard]] std::int64_t longest_turn_ns(WorkClass work_class) const noexcept {
    return std::max(longest_of_[slot(work_class)].ns(), longest_computation_.ns());
  }

  // Replaces the permits that spares may take. Called by the watchdog.
  void set_permits(std::uint32_t count) noexcept { permits_.store(count, base::relaxed); }  // relaxed: a hint
  // Takes a permit for a spare, which gives it back after its heavy task. Returns false if there is none, or while all
  // spares but one have one. The watchdog's count cannot ensure that: it may not have seen yet that a permit was taken.
  [[nodiscard]] bool take_permit(std::uint32_t spares_max) noexcept {
    return take_one(permits_) && begin_on_spare(spares_max);
  }
  void give_permit_back() noexcept { spares_with_permit_.fetch_sub(1, base::relaxed); }  // relaxed: a count

 private:
  // Classes that share an entry are treated alike.
  static constexpr std::size_t kEntries = 1024;
  [[nodiscard]] static std::size_t slot(WorkClass work_class) noexcept { return work_class.index() % kEntries; }
  [[nodiscard]] LongestTurn& longest_of(WorkClass work_class) noexcept { return longest_of_[slot(work_class)]; }

  [[nodiscard]] static bool take_one(base::Atomic<std::uint32_t>& permits) noexcept {
    std::uint32_t left = permits.load(base::relaxed);  // relaxed: a count
    while (left != 0) {
      if (permits.compare_exchange_weak(left, left - 1, base::relaxed, base::relaxed))
        return true;  // relaxed: as above
    }
    return false;
  }
  [[nodiscard]] bool begin_on_spare(std::uint32_t spares_max) noexcept {
    if (spares_with_permit_.fetch_add(1, base::relaxed) + 1 < spares_max) return true;  // relaxed: a count
    give_permit_back();
    return false;
  }

  GlobalQueue<TaskHeader> tasks_;
  LongestTurn longest_computation_;
  std::array<LongestTurn, kEntries> longest_of_;
  base::Atomic<std::uint32_t> permits_{0};
  base::Atomic<std::uint32_t> spares_with_permit_{0};
};

}  // namespace volt::sched
