// SPDX-License-Identifier: MIT

// Tokio's multi-thread scheduler in the model, by the rules of tokio/src/runtime/scheduler/multi_thread (worker.rs,
// idle.rs, queue.rs, park.rs) of Tokio 1.4x, and "Making the Tokio scheduler 10x faster" (tokio.rs, 2019):
//
//   - a LIFO slot that only its worker uses, at most three times in a row; a local queue of 256 tasks; an inject queue
//     behind a mutex, which is checked every so many ticks and when there is nothing else
//   - a task that is woken on a worker goes into the slot; the task that was there goes to the queue, and a worker is
//     woken if none searches
//   - a thief starts at a random worker and visits the others in order; at most half of the workers search
//   - one driver (epoll) for all workers, behind a lock: a worker that parks takes it if it can, otherwise it sleeps on
//     its own. A busy worker polls it every 61 ticks, if it is free
//   - the last searcher that finds work wakes another one; a worker that parks as the last searcher checks all queues
//
// The queues are Volt's classes, which have the same design and capacity.
#include <vector>

#include "loadtest/scaling/evicting_push.h"
#include "loadtest/scaling/futex_mutex.h"
#include "loadtest/scaling/model.h"
#include "loadtest/scaling/shared_queue.h"
#include "runtime/base/cache_line.h"
#include "runtime/sched/local_queue.h"
#include "runtime/sched/random.h"

namespace volt::scaling {
namespace {

constexpr std::uint32_t kEventInterval = 61;
constexpr std::uint32_t kGlobalInterval = 61;
constexpr std::uint32_t kLifoPollsMax = 3;
constexpr std::size_t kEventsMax = 1024;

class TokioModel final : public Model {
 public:
  explicit TokioModel(Load& load) : Model(load), count_(load.options().workers) {
    state_.store(std::uint64_t{count_} << 32, base::relaxed);  // relaxed: one thread runs
    for (std::uint32_t i = 0; i != count_; ++i) {
      workers_.push_back(std::make_unique<Worker>((load.options().seed + 7) * (i + 1)));
      machine().add_thread([this, i] { work(*workers_[i], i); });
    }
  }

  void arrived(Connection& connection) override {
    events_.push_back(&connection);
    if (polling_ != kNobody && machine().asleep(polling_)) machine().wake_by_kernel(polling_);
  }

 private:
  static constexpr std::uint32_t kNobody = ~0u;

  struct alignas(base::kNoSharingBytes) Worker {
    explicit Worker(std::uint64_t seed) : random(seed) {}
    sched::LocalQueue<Connection> queue;
    alignas(base::kNoSharingBytes) base::Atomic<bool> notified{false};  // the state of its parker
    // Its own.
    Connection* lifo = nullptr;
    bool searching = false;
    bool woken_to_search = false;
    std::uint32_t tick = 0;
    sched::Random random;
  };

  // Idle::state: searching in the low half, unparked in the high half.
  [[nodiscard]] std::uint32_t searching(std::uint64_t state) const noexcept {
    return static_cast<std::uint32_t>(state);
  }
  [[nodiscard]] std::uint32_t unparked(std::uint64_t state) const noexcept {
    return static_cast<std::uint32_t>(state >> 32);
  }

  [[noreturn]] void work(Worker& me, std::uint32_t index) noexcept {
    for (;;) {
      if (++me.tick % kEventInterval == 0 && try_take_driver()) {
        poll(me);
        driver_held_.store(false, base::relaxed);  // relaxed: one thread runs
      }
      if (Connection* task = next_task(me)) {
        run(me, *task);
      } else if (Connection* stolen = search(me, index)) {
        run(me, *stolen);
      } else {
        park(me, index);
      }
    }
  }

  [[nodiscard]] Connection* next_task(Worker& me) noexcept {
    if (me.tick % kGlobalInterval == 0) {
      if (Connection* task = inject_.pop()) return task;
    }
    if (Connection* task = std::exchange(me.lifo, nullptr)) return task;
    if (Connection* task = me.queue.pop()) return task;
    return take_from_inject(me);
  }

  [[nodiscard]] Connection* take_from_inject(Worker& me) noexcept {
    if (inject_.empty()) return nullptr;
    const auto share = static_cast<std::uint32_t>(inject_.size() / count_ + 1);
    std::array<Connection*, 128> batch{};
    const std::uint32_t count = inject_.pop_batch(batch.data(), std::min({share, 128U, me.queue.room() + 1}));
    for (std::uint32_t i = 1; i < count; ++i) static_cast<void>(me.queue.try_push(batch[i]));
    return count == 0 ? nullptr : batch[0];
  }

  void run(Worker& me, Connection& first) noexcept {
    if (std::exchange(me.searching, false)) {
      const std::uint64_t before = state_.fetch_sub(1, base::relaxed);  // relaxed: one thread runs
      if (searching(before) == 1) notify(me);
    }
    me.woken_to_search = false;
    Connection* task = &first;
    for (std::uint32_t polls = 0; task != nullptr; ++polls) {
      if (load_.serve(*task)) push_back(me, *task);
      if (polls == kLifoPollsMax) break;
      task = std::exchange(me.lifo, nullptr);
    }
  }

  // ---- waking ----

  void push_back(Worker& me, Connection& task) noexcept { evicting_push(me.queue, task, inject_); }

  void notify(Worker&) noexcept {
    const std::uint64_t state = state_.fetch_add(0, base::relaxed);  // relaxed: one thread runs
    if (searching(state) != 0 || unparked(state) >= count_) return;
    std::uint32_t sleeper = kNobody;
    {
      const std::lock_guard guard(sleepers_lock_);
      const std::uint64_t again = state_.load(base::relaxed);  // relaxed: one thread runs
      if (searching(again) != 0 || sleepers_.empty()) return;
      state_.fetch_add(1 | std::uint64_t{1} << 32, base::relaxed);  // relaxed: one thread runs
      sleeper = sleepers_.back();
      sleepers_.pop_back();
    }
    ++counts_.wakes;
    workers_[sleeper]->notified.exchange(true, base::relaxed);  // relaxed: one thread runs
    machine().wake(sleeper);
  }

  // ---- the driver ----

  [[nodiscard]] bool try_take_driver() noexcept {
    return !driver_held_.load(base::relaxed) &&
           !driver_held_.exchange(true, base::relaxed);  // relaxed: one thread runs
  }

  // Queues the tasks of the events that there are.
  void poll(Worker& me) noexcept {
    const std::size_t count = std::min(events_.size(), kEventsMax);
    const Costs& costs = machine().costs();
    std::deque<Connection*> found(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    machine().spend(costs.poll_ns + static_cast<std::int64_t>(count) * costs.event_ns);
    for (Connection* task : found) {
      if (Connection* previous = std::exchange(me.lifo, task)) push_back(me, *previous);
    }
  }

  // ---- searching ----

  [[nodiscard]] Connection* search(Worker& me, std::uint32_t index) noexcept {
    if (!me.searching) {
      const std::uint64_t state = state_.load(base::relaxed);  // relaxed: one thread runs
      if (2 * searching(state) >= count_) return nullptr;
      state_.fetch_add(1, base::relaxed);  // relaxed: one thread runs
      me.searching = true;
    }
    const std::uint32_t start = me.random.below(count_);
    for (std::uint32_t i = 0; i != count_; ++i) {
      const std::uint32_t victim = (start + i) % count_;
      if (victim == index) continue;
      ++counts_.searched;
      if (workers_[victim]->queue.empty()) continue;
      const std::uint32_t tasks = workers_[victim]->queue.steal_half_into(me.queue);
      if (tasks == 0) continue;
      count_theft(index, victim, tasks);
      return me.queue.pop();
    }
    return take_from_inject(me);
  }

  // ---- parking ----

  void park(Worker& me, std::uint32_t index) noexcept {
    if (me.searching && me.woken_to_search) ++counts_.wasted;
    me.woken_to_search = false;
    bool last = false;
    {
      const std::lock_guard guard(sleepers_lock_);
      const std::uint64_t left = std::uint64_t{1} << 32 | (me.searching ? 1 : 0);
      const std::uint64_t before = state_.fetch_sub(left, base::relaxed);  // relaxed: one thread runs
      last = me.searching && searching(before) == 1;
      sleepers_.push_back(index);
    }
    me.searching = false;
    if (last && work_waits()) notify(me);
    for (;;) {
      if (!me.notified.exchange(false, base::relaxed)) wait(me, index);  // relaxed: one thread runs
      const std::lock_guard guard(sleepers_lock_);
      const auto place = std::ranges::find(sleepers_, index);
      if (place == sleepers_.end()) {  // woken by another worker
        me.searching = me.woken_to_search = true;
        break;
      }
      if (me.lifo == nullptr && me.queue.empty()) continue;
      sleepers_.erase(place);
      state_.fetch_add(std::uint64_t{1} << 32, base::relaxed);  // relaxed: one thread runs
      break;
    }
    if (!me.searching && me.queue.size() + (me.lifo != nullptr ? 1 : 0) > 1) notify(me);
  }

  void wait(Worker& me, std::uint32_t index) noexcept {
    ++counts_.parks;
    machine().spend(machine().costs().park_ns);
    if (!try_take_driver()) {
      machine().sleep();
    } else {
      polling_ = index;
      if (events_.empty()) machine().sleep();
      polling_ = kNobody;
      poll(me);
      driver_held_.store(false, base::relaxed);  // relaxed: one thread runs
    }
    me.notified.exchange(false, base::relaxed);  // relaxed: one thread runs
  }

  [[nodiscard]] bool work_waits() const noexcept {
    for (const auto& worker : workers_) {
      if (!worker->queue.empty()) return true;
    }
    return !inject_.empty();
  }

  const std::uint32_t count_;
  std::vector<std::unique_ptr<Worker>> workers_;
  SharedQueue inject_;
  alignas(base::kNoSharingBytes) base::Atomic<std::uint64_t> state_{0};
  alignas(base::kNoSharingBytes) FutexMutex sleepers_lock_;
  std::vector<std::uint32_t> sleepers_;
  alignas(base::kNoSharingBytes) base::Atomic<bool> driver_held_{false};
  std::uint32_t polling_ = kNobody;  // the worker in epoll_wait
  std::deque<Connection*> events_;   // the kernel's
};

}  // namespace

std::unique_ptr<Model> make_tokio(Load& load) { return std::make_unique<TokioModel>(load); }

}  // namespace volt::scaling
