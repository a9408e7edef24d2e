// SPDX-License-Identifier: MIT

// Go's scheduler in the model, by the rules of src/runtime/proc.go of Go 1.22 and later (findRunnable, stealWork,
// injectglist, wakep, resetspinning, sysmon):
//
//   - a queue of 256 for each P, and `runnext`, which thieves may take in the last of their four rounds, after 3 us
//   - a global queue behind the scheduler's lock, checked every 61 turns and when the own queue is empty
//   - a P without work polls the network without waiting, and then steals: four rounds over all others in an order of
//     random start and coprime stride. At most half of the busy Ps spin
//   - the one that parks last in netpoll waits there; the others sleep. Events found while some Ps are idle go to the
//     global queue, one idle P being woken for each; the rest go to the own queue
//   - a P that stops spinning with work wakes another one (wakep), unless one spins; Ms, Ps and their list are guarded
//     by the scheduler's lock
//   - a goroutine is preempted after 10 ms; sysmon polls the network if no P has done so for 10 ms
//
// An M and its P are one thread here. The queue is Volt's class, which has the same capacity and gives half to a thief.
#include <vector>

#include "loadtest/scaling/evicting_push.h"
#include "loadtest/scaling/futex_mutex.h"
#include "loadtest/scaling/model.h"
#include "loadtest/scaling/shared_queue.h"
#include "runtime/base/cache_line.h"
#include "runtime/sched/local_queue.h"
#include "runtime/sched/random.h"
#include "runtime/sched/victim_walk.h"

namespace volt::scaling {
namespace {

constexpr std::uint32_t kGlobalInterval = 61;
constexpr std::uint32_t kStealRounds = 4;
constexpr std::int64_t kRunnextWaitNs = 3'000;
constexpr std::int64_t kPreemptAfterNs = 10'000'000;
constexpr std::int64_t kSysmonIntervalNs = 10'000'000;
constexpr std::size_t kEventsMax = 128;

class GoModel final : public Model {
 public:
  explicit GoModel(Load& load) : Model(load), count_(load.options().workers), walk_(count_) {
    for (std::uint32_t i = 0; i != count_; ++i) {
      workers_.push_back(std::make_unique<P>((load.options().seed + 3) * (i + 1)));
      machine().add_thread([this, i] { work(*workers_[i], i); });
    }
    machine().add_thread([this] { sysmon(); });
  }

  void arrived(Connection& connection) override {
    events_.push_back(&connection);
    if (polling_ != kNobody && machine().asleep(polling_)) machine().wake_by_kernel(polling_);
  }

 private:
  static constexpr std::uint32_t kNobody = ~0u;

  struct alignas(base::kNoSharingBytes) P {
    explicit P(std::uint64_t seed) : random(seed) {}
    sched::LocalQueue<Connection> queue;
    alignas(base::kNoSharingBytes) base::Atomic<Connection*> runnext{nullptr};
    // Its own.
    bool spinning = false;
    bool woken_to_search = false;
    std::uint32_t tick = 0;
    sched::Random random;
  };

  [[noreturn]] void work(P& me, std::uint32_t index) noexcept {
    for (;;) {
      Connection* task = find_runnable(me, index);
      if (task == nullptr) {
        park(me, index);
        continue;
      }
      if (me.spinning) reset_spinning(me);
      me.woken_to_search = false;
      ++me.tick;
      if (load_.serve(*task, kPreemptAfterNs)) global_.push(task);  // preempted
    }
  }

  [[nodiscard]] Connection* find_runnable(P& me, std::uint32_t index) noexcept {
    if (me.tick % kGlobalInterval == 0) {
      if (Connection* task = global_.pop()) return task;
    }
    if (Connection* task = take_local(me)) return task;
    if (Connection* task = take_global(me)) return task;
    if (lastpoll_.load(base::relaxed) && !polls_now_.exchange(true, base::relaxed)) {  // relaxed: one thread runs
      Connection* task = netpoll(me);
      polls_now_.store(false, base::relaxed);  // relaxed: one thread runs
      if (task != nullptr) return task;
    }
    return steal(me, index);
  }

  [[nodiscard]] Connection* take_local(P& me) noexcept {
    if (me.runnext.load(base::relaxed) != nullptr) {                                    // relaxed: one thread runs
      if (Connection* task = me.runnext.exchange(nullptr, base::relaxed)) return task;  // relaxed: one thread runs
    }
    return me.queue.pop();
  }

  [[nodiscard]] Connection* take_global(P& me) noexcept {
    if (global_.empty()) return nullptr;
    const auto share = static_cast<std::uint32_t>(global_.size() / count_ + 1);
    std::array<Connection*, 128> batch{};
    const std::uint32_t count = global_.pop_batch(batch.data(), std::min({share, 128U, me.queue.room() + 1}));
    for (std::uint32_t i = 1; i < count; ++i) static_cast<void>(me.queue.try_push(batch[i]));
    return count == 0 ? nullptr : batch[0];
  }

  // ---- the network ----

  // Returns the first task of the events that there are; the others are spread (injectglist).
  [[nodiscard]] Connection* netpoll(P& me) noexcept {
    const Costs& costs = machine().costs();
    polled_at_ns_ = machine().now_ns();
    const std::size_t count = std::min(events_.size(), kEventsMax);
    std::deque<Connection*> found(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    machine().spend(costs.poll_ns + static_cast<std::int64_t>(count) * costs.event_ns);
    if (found.empty()) return nullptr;
    Connection* first = found.front();
    found.pop_front();
    const std::uint32_t idle = idle_count_.load(base::relaxed);  // relaxed: one thread runs
    base::Chain<Connection> shared;
    while (shared.size() < idle && !found.empty()) {
      shared.push_back(found.front());
      found.pop_front();
    }
    const std::size_t wakes = shared.size();
    global_.push(std::move(shared));
    for (std::size_t i = 0; i != wakes; ++i) {
      if (!wake_idle(false)) break;
    }
    for (Connection* task : found) evicting_push(me.queue, *task, global_);
    return first;
  }

  // Polls the network when no P has done so for a while.
  [[noreturn]] void sysmon() noexcept {
    for (;;) {
      machine().sleep(machine().now_ns() + kSysmonIntervalNs);
      const bool overdue = machine().now_ns() - polled_at_ns_ >= kSysmonIntervalNs;
      if (!overdue || !lastpoll_.load(base::relaxed)) continue;  // relaxed: one thread runs
      polled_at_ns_ = machine().now_ns();
      base::Chain<Connection> found;
      for (; !events_.empty(); events_.pop_front()) found.push_back(events_.front());
      const std::size_t wakes = found.size();
      global_.push(std::move(found));
      for (std::size_t i = 0; i != wakes && wake_idle(false); ++i) {
      }
    }
  }

  // ---- spinning ----

  [[nodiscard]] Connection* steal(P& me, std::uint32_t index) noexcept {
    const std::uint32_t busy = count_ - idle_count_.load(base::relaxed);            // relaxed: one thread runs
    if (!me.spinning && 2 * spinning_.load(base::relaxed) >= busy) return nullptr;  // relaxed: one thread runs
    if (!me.spinning) {
      me.spinning = true;
      spinning_.fetch_add(1, base::relaxed);  // relaxed: one thread runs
    }
    for (std::uint32_t round = 0; round != kStealRounds; ++round) {
      const bool takes_next = round + 1 == kStealRounds;
      Connection* task = nullptr;
      walk_.visit_all(me.random, [&](std::uint32_t i) {
        if (i == index) return false;
        task = steal_from(me, index, i, takes_next);
        return task != nullptr;
      });
      if (task != nullptr) return task;
    }
    return nullptr;
  }

  [[nodiscard]] Connection* steal_from(P& me, std::uint32_t index, std::uint32_t victim, bool takes_next) noexcept {
    P& other = *workers_[victim];
    ++counts_.searched;
    if (idle_mask_[victim]) return nullptr;  // idlepMask: an idle P has nothing
    if (!other.queue.empty()) {
      const std::uint32_t tasks = other.queue.steal_half_into(me.queue);
      if (tasks != 0) {
        count_theft(index, victim, tasks);
        return me.queue.pop();
      }
    }
    if (!takes_next || other.runnext.load(base::relaxed) == nullptr) return nullptr;  // relaxed: one thread runs
    machine().spend(kRunnextWaitNs);
    Connection* task = other.runnext.exchange(nullptr, base::relaxed);  // relaxed: one thread runs
    if (task != nullptr) count_theft(index, victim, 1);
    return task;
  }

  void reset_spinning(P& me) noexcept {
    me.spinning = false;
    spinning_.fetch_sub(1, base::relaxed);  // relaxed: one thread runs
    wakep();
  }

  void wakep() noexcept {
    std::uint32_t none = 0;
    if (spinning_.load(base::relaxed) != 0) return;                                         // relaxed: one thread runs
    if (!spinning_.compare_exchange_strong(none, 1, base::relaxed, base::relaxed)) return;  // relaxed: one thread runs
    if (!wake_idle(true)) spinning_.fetch_sub(1, base::relaxed);                            // relaxed: one thread runs
  }

  // Wakes an idle P to spin. `counted` says that spinning_ includes it already. Returns false if no P is idle.
  bool wake_idle(bool counted) noexcept {
    std::uint32_t idle = kNobody;
    {
      const std::lock_guard guard(lock_);
      if (idle_.empty()) return false;
      idle = idle_.back();
      leave_idle_locked(idle_.size() - 1);
    }
    if (!counted) spinning_.fetch_add(1, base::relaxed);  // relaxed: one thread runs
    workers_[idle]->spinning = workers_[idle]->woken_to_search = true;
    ++counts_.wakes;
    machine().wake(idle);
    return true;
  }

  void leave_idle_locked(std::size_t place) noexcept {
    idle_mask_[idle_[place]] = false;
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(place));
    idle_count_.store(static_cast<std::uint32_t>(idle_.size()), base::relaxed);  // relaxed: one thread runs
  }

  // ---- parking ----

  void park(P& me, std::uint32_t index) noexcept {
    if (me.woken_to_search) ++counts_.wasted;
    me.woken_to_search = false;
    {
      const std::lock_guard guard(lock_);
      if (!global_.empty()) return;
      idle_.push_back(index);
      idle_mask_[index] = true;
      idle_count_.store(static_cast<std::uint32_t>(idle_.size()), base::relaxed);  // relaxed: one thread runs
    }
    if (std::exchange(me.spinning, false)) {
      spinning_.fetch_sub(1, base::relaxed);  // relaxed: one thread runs
      if (work_waits(index) && return_from_idle(me, index, true)) return;
    }
    while (!sleep(me, index)) {
    }
  }

  // Sleeps in the network's poll if no other P does. Returns whether the P has something to do.
  [[nodiscard]] bool sleep(P& me, std::uint32_t index) noexcept {
    ++counts_.parks;
    machine().spend(machine().costs().park_ns);
    if (!lastpoll_.exchange(false, base::relaxed)) {  // relaxed: one thread runs
      if (idle_mask_[index]) machine().sleep();
      return !idle_mask_[index];
    }
    polling_ = index;
    if (events_.empty() && idle_mask_[index]) machine().sleep();
    polling_ = kNobody;
    lastpoll_.store(true, base::relaxed);  // relaxed: one thread runs
    if (idle_mask_[index] && (events_.empty() || !return_from_idle(me, index, false))) return false;
    if (Connection* task = netpoll(me)) {
      Connection* previous = me.runnext.exchange(task, base::relaxed);  // relaxed: one thread runs
      if (previous != nullptr) global_.push(previous);
    }
    return true;
  }

  // Takes the P off the list of the idle ones. Returns false if it is not on it: another one has woken it.
  bool return_from_idle(P& me, std::uint32_t index, bool spins) noexcept {
    const std::lock_guard guard(lock_);
    const auto place = std::ranges::find(idle_, index);
    if (place == idle_.end()) return false;
    leave_idle_locked(static_cast<std::size_t>(place - idle_.begin()));
    if (spins) {
      me.spinning = true;
      spinning_.fetch_add(1, base::relaxed);  // relaxed: one thread runs
    }
    return true;
  }

  [[nodiscard]] bool work_waits(std::uint32_t index) const noexcept {
    if (!global_.empty()) return true;
    for (std::uint32_t i = 0; i != count_; ++i) {
      if (i != index && !idle_mask_[i] && !workers_[i]->queue.empty()) return true;
    }
    return false;
  }

  const std::uint32_t count_;
  const sched::VictimWalk walk_;
  std::vector<std::unique_ptr<P>> workers_;
  SharedQueue global_;
  alignas(base::kNoSharingBytes) FutexMutex lock_;
  std::vector<std::uint32_t> idle_;
  std::bitset<Machine::kThreadsMax> idle_mask_;
  base::Atomic<std::uint32_t> idle_count_{0};  // npidle
  base::Atomic<std::uint32_t> spinning_{0};    // nmspinning; in Go on the line of npidle, too
  base::Atomic<bool> lastpoll_{true};          // whether no P waits in the network's poll
  base::Atomic<bool> polls_now_{false};        // pollingNet
  std::uint32_t polling_ = kNobody;            // the P that waits there
  std::int64_t polled_at_ns_ = 0;
  std::deque<Connection*> events_;  // the kernel's
};

}  // namespace

std::unique_ptr<Model> make_go(Load& load) { return std::make_unique<GoModel>(load); }

}  // namespace volt::scaling
