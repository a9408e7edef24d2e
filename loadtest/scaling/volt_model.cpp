// SPDX-License-Identifier: MIT

// Volt's scheduler in the model. Linked as it ships: the loop with all its decisions (worker_loop.h), the queues, the
// LIFO slot, the inbox, the idle state, the sets of workers, the walk over victims, the interval of the global queue,
// the limits of backlogs, the tick's budget, the turn record, and the placement of connections. Repeated here in a few
// lines, because these members of the shipped classes need a reactor: end_tick (worker.cpp), stuck and the watchdog's
// samples (watchdog.cpp), and when a stream moves (net/socket.cpp). Left out: timers, forks, spares, heavy classes,
// pinned and urgent tasks.
//
// VoltWorker has the members that other threads touch in the order of Worker, so that they share the same lines.
#include <algorithm>
#include <vector>

#include "loadtest/scaling/model.h"
#include "runtime/base/cache_line.h"
#include "runtime/sched/backlog_limits.h"
#include "runtime/sched/global_queue.h"
#include "runtime/sched/idle_state.h"
#include "runtime/sched/inbox.h"
#include "runtime/sched/interval.h"
#include "runtime/sched/lifo_slot.h"
#include "runtime/sched/random.h"
#include "runtime/sched/run_queue.h"
#include "runtime/sched/stuck_workers.h"
#include "runtime/sched/turn_record.h"
#include "runtime/sched/victim_walk.h"
#include "runtime/sched/worker_loop.h"
#include "runtime/sched/worker_set.h"

namespace volt::scaling {
namespace {

constexpr std::int64_t kMoveAfterNs = 5'000'000;      // watchdog.cpp
constexpr std::int64_t kSampleIdleNs = 10'000'000;    // watchdog.cpp
constexpr std::int64_t kSampleRecentNs = 4'000'000;   // watchdog.cpp
constexpr std::int64_t kSampleStalledNs = 1'000'000;  // watchdog.cpp
constexpr int kFrequentSamplesAfterStall = 100;       // watchdog.cpp
constexpr std::int64_t kMovesApartNs = 100'000'000;   // socket.cpp
constexpr int kForeignWaitsToMove = 4;                // socket.cpp

class VoltWorker;

// The members of Scheduler that the loop uses.
class VoltShared {
 public:
  class Watchdog {
   public:
    // Writes a shared word each time that a worker runs a task after a sleep.
    void activity() noexcept { static_cast<void>(asleep_.exchange(false, base::relaxed)); }  // relaxed: one thread runs
    [[nodiscard]] bool any_stuck() const noexcept { return stuck_.any(); }
    [[nodiscard]] bool may_be_stuck(std::uint32_t worker) const noexcept { return stuck_.contains(worker); }
    void sampled(std::uint32_t worker, bool stuck) noexcept {
      stuck_.sampled(worker, stuck, [] { return false; });
    }

    explicit Watchdog(std::uint32_t workers) : stuck_(workers) {}

   private:
    sched::StuckWorkers stuck_;
    alignas(base::kNoSharingBytes) base::Atomic<bool> asleep_{false};
  };
  // Repeats WorkerPlaces for workers that do not change their cores. Reading it costs nothing.
  struct Places {
    [[nodiscard]] static bool several() noexcept { return true; }
    [[nodiscard]] static std::uint32_t of(std::uint32_t worker) noexcept { return machine().domain(worker); }
  };
  struct Spares {
    [[nodiscard]] static std::uint32_t count() noexcept { return 0; }
    VoltWorker& worker(std::uint32_t) const noexcept { std::abort(); }
  };

  VoltShared(std::uint32_t workers, bool stealing)
      : stealing_(stealing), idle_(workers), victims_(workers), backlogs_(workers), watchdog_(workers) {}

  [[nodiscard]] sched::GlobalQueue<Connection>& global() noexcept { return global_; }
  [[nodiscard]] sched::GlobalQueue<Connection>& heavy() noexcept { return heavy_; }
  [[nodiscard]] sched::IdleState& idle() noexcept { return idle_; }
  [[nodiscard]] Watchdog& watchdog() noexcept { return watchdog_; }
  [[nodiscard]] const sched::VictimWalk& victims() const noexcept { return victims_; }
  [[nodiscard]] sched::WorkerSet& backlogs() noexcept { return backlogs_; }
  [[nodiscard]] Places places() const noexcept { return {}; }
  [[nodiscard]] Spares& spares() noexcept { return spares_; }
  [[nodiscard]] bool stealing() const noexcept { return stealing_; }
  [[nodiscard]] static bool stopping() noexcept { return false; }
  [[nodiscard]] std::uint32_t worker_count() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] VoltWorker& worker(std::uint32_t index) const noexcept { return *workers_[index]; }
  void queue_heavy(Connection&) noexcept { std::abort(); }
  void add(VoltWorker& worker) { workers_.push_back(&worker); }
  bool notify_one() noexcept {
    const std::optional<std::uint32_t> claimed = idle_.claim_one();
    if (!claimed) return false;
    machine().wake(*claimed);
    return true;
  }

 private:
  const bool stealing_;
  std::vector<VoltWorker*> workers_;
  sched::GlobalQueue<Connection> global_;
  sched::GlobalQueue<Connection> heavy_;
  sched::IdleState idle_;
  sched::VictimWalk victims_;
  sched::WorkerSet backlogs_;
  Watchdog watchdog_;
  Spares spares_;
};

struct PlainCounter {
  void add(std::uint64_t by = 1) noexcept { value += by; }
  std::uint64_t value = 0;
};
struct PlainCounters {
  struct ByVictim {
    PlainCounter& operator[](std::uint32_t) noexcept { return sum; }
    PlainCounter sum;
  };
  PlainCounter from_lifo, from_local, from_pinned, from_global, from_heavy, stolen, steal_attempts, parks, wakes_sent,
      wakes_wasted, rescues, rescued_tasks, queue_overflows;
  ByVictim stolen_from;
};
struct NoUrgentTasks {
  [[nodiscard]] static bool empty() noexcept { return true; }
  static void push(Connection*) noexcept { std::abort(); }
  [[nodiscard]] static Connection* pop() noexcept { return nullptr; }
};

class alignas(base::kNoSharingBytes) VoltWorker : private sched::WorkerLoop<VoltWorker, Connection> {
  using Loop = sched::WorkerLoop<VoltWorker, Connection>;
  friend Loop;

 public:
  VoltWorker(VoltShared& shared, Load& load, Counts& counts, std::uint32_t index)
      : scheduler_(shared),
        load_(load),
        counts_(counts),
        timeline_{*this},
        index_(index),
        random_((0x9e3779b97f4a7c15 + load.options().seed) * (index + 1)) {
    if (!shared.stealing() || load.options().workers == 1) limits_.exclude_thieves();
    shared.add(*this);
  }

  void work() noexcept { run_until_stopped(); }
  using Loop::has_tasks_to_rescue;
  using Loop::worth_stealing_from;
  [[nodiscard]] static bool worth_forking_for() noexcept { return false; }

  // The kernel reports the connection to this worker's reactor.
  void report(Connection& connection) noexcept {
    events_.push_back(&connection);
    if (machine().asleep(index_)) machine().wake_by_kernel(index_);
  }

  // Worker::stuck and Worker::stuck_for_long.
  [[nodiscard]] bool stuck() const noexcept {
    const std::uint64_t progress = turn_.progress();
    const bool found_so = stuck_progress_.load(base::relaxed) == progress;  // relaxed: a hint
    return sched::TurnRecord::in_turn(progress) &&
           (found_so || blocking_progress_.load(base::relaxed) == progress);  // relaxed: a hint
  }
  [[nodiscard]] bool stuck_for_long() const noexcept {
    return stuck() && stuck_ns_.load(base::relaxed) >= kMoveAfterNs;  // relaxed: a hint
  }
  void mark_stuck(std::uint64_t progress, std::int64_t lasted_ns) noexcept {
    stuck_ns_.store(lasted_ns, base::relaxed);                    // relaxed: a hint
    if (stuck_progress_.load(base::relaxed) == progress) return;  // relaxed: a hint
    stuck_progress_.store(progress, base::relaxed);               // relaxed: a hint
  }
  [[nodiscard]] std::uint64_t progress() const noexcept { return turn_.progress(); }
  [[nodiscard]] const PlainCounters& counters() const noexcept { return counters_; }

 private:
  struct Timeline {
    void begin_search() const noexcept {}
    void begin_theft() const noexcept {}
    void end_theft(std::uint32_t victim, std::uint64_t tasks) const noexcept {
      if (tasks != 0) worker.note_theft(victim, tasks);
    }
    void end_rescue(std::uint32_t, std::uint64_t) const noexcept {}
    VoltWorker& worker;
  };

  void note_theft(std::uint32_t victim, std::uint64_t tasks) noexcept {
    ++counts_.thefts;
    counts_.stolen += tasks;
    if (machine().domain(index_) != machine().domain(victim)) ++counts_.thefts_far;
  }

  // ---- what the loop asks for ----
  void collect_events() noexcept {
    read_clock();
    if (!events_.empty()) poll(events_);
    drain_inbox();
  }
  void take_io_turn() noexcept {
    polls_since_io_ = 0;
    urgent_due_ = true;
    read_clock();
    poll(events_);
    drain_inbox();
  }
  static void unwatch(io::Source&) noexcept {}
  [[nodiscard]] static bool drained() noexcept { return false; }
  [[nodiscard]] std::uint32_t polls_before_io() const noexcept {
    return sched::TickBudget::polls_before_io(interval_.average_task());
  }
  [[nodiscard]] std::int64_t tick_time_ns() const noexcept { return tick_ns_; }
  void end_tick(std::uint32_t polls, std::int64_t began_ns, bool) noexcept {
    if (polls == 0) return;
    machine().spend(machine().costs().clock_ns);
    interval_.record(polls, std::chrono::nanoseconds(machine().now_ns() - began_ns));
    const std::int64_t average_ns = std::max<std::int64_t>(1, interval_.average_task().count());
    polls_between_global_ = interval_.ticks();
    limits_.follow(average_ns, machine().costs().wake_cost_ns);
  }
  static void adopt(std::span<Connection* const>) noexcept {}
  void run(Connection& connection) noexcept {
    turn_.begin(connection.index, {});
    const bool more = load_.serve(connection);
    if (!more) settle(connection);
    turn_.end();
    if (more) push_back(connection);
  }
  [[nodiscard]] static bool goes_to_heavy(const Connection&) noexcept { return false; }
  [[nodiscard]] static bool heavy_is_due() noexcept { return false; }
  static void note_due_turn() noexcept {}
  [[nodiscard]] static bool may_take_heavy() noexcept { return true; }
  [[nodiscard]] static bool before_park() noexcept { return true; }
  void sleep() noexcept {
    machine().spend(machine().costs().park_ns);
    if (events_.empty()) machine().sleep();
  }
  static void poll_without_sleep() noexcept { machine().spend(machine().costs().poll_ns); }
  [[nodiscard]] static bool clock_moved() noexcept { return false; }
  [[nodiscard]] static bool fork_for(VoltWorker&) noexcept { return false; }
  [[nodiscard]] static bool stay_for_forks() noexcept { return false; }
  [[nodiscard]] bool has_events_to_rescue() const noexcept { return !events_.empty(); }
  [[nodiscard]] static bool has_due_timers() noexcept { return false; }
  [[nodiscard]] std::uint64_t rescue_events(VoltWorker& victim) noexcept {
    if (victim.events_.empty()) return 0;
    machine().spend(machine().costs().interrupt_ns);
    const std::size_t count = victim.events_.size();
    poll(victim.events_);
    return count;
  }

  // ---- the rest ----
  void read_clock() noexcept {
    machine().spend(machine().costs().clock_ns);
    tick_ns_ = machine().now_ns();
  }
  void poll(std::deque<Connection*>& events) noexcept {
    const Costs& costs = machine().costs();
    machine().spend(costs.poll_ns + static_cast<std::int64_t>(events.size()) * costs.event_ns);
    if (events.empty()) return;
    while (!events.empty()) {
      Connection& connection = *events.front();
      events.pop_front();
      queue_woken(connection);
    }
    notify_if_worth_it();
  }
  // Socket::settle_on and should_move_to: a connection moves here if it runs here half of the time.
  void settle(Connection& connection) noexcept {
    const bool foreign = connection.home != index_;
    connection.foreign_waits = static_cast<std::uint8_t>(connection.foreign_waits << 1 | (foreign ? 1 : 0));
    if (!foreign) return;
    const VoltWorker& home = scheduler_.worker(connection.home);
    const bool often = std::popcount(connection.foreign_waits) >= kForeignWaitsToMove && home.queue_.size() != 0 &&
                       tick_ns_ - connection.moved_at_ns >= kMovesApartNs;
    if (!often && !home.stuck_for_long()) return;
    machine().spend(machine().costs().poll_ns);
    connection.home = index_;
    connection.moved_at_ns = tick_ns_;
    connection.foreign_waits = 0;
  }

  VoltShared& scheduler_;
  Load& load_;
  Counts& counts_;
  const Timeline timeline_;
  const std::uint32_t index_;
  const bool is_spare_ = false;
  sched::Random random_;
  sched::GlobalInterval interval_;
  std::int64_t tick_ns_ = 0;
  base::Chain<Connection> pinned_;
  std::deque<Connection*> events_;  // the kernel's: completions of the ring
  PlainCounters counters_;

  // Read by other threads.
  alignas(base::kNoSharingBytes) sched::LifoSlot<Connection> lifo_;
  sched::TurnRecord turn_;
  base::Atomic<std::uint64_t> blocking_progress_{0};
  sched::BacklogLimits limits_;
  sched::RunQueue<Connection> queue_;
  NoUrgentTasks urgent_;

  // Written by other threads.
  alignas(base::kNoSharingBytes) sched::BasicInbox<Connection> inbox_;
  alignas(base::kNoSharingBytes) base::Atomic<std::uint64_t> stuck_progress_{0};
  base::Atomic<std::int64_t> stuck_ns_{0};
};

class VoltModel final : public Model {
 public:
  VoltModel(Load& load, bool stealing, bool rescue) : Model(load), shared_(load.options().workers, stealing) {
    for (std::uint32_t i = 0; i != load.options().workers; ++i) {
      workers_.push_back(std::make_unique<VoltWorker>(shared_, load, counts_, i));
      machine().add_thread([worker = workers_.back().get()] { worker->work(); });
    }
    if (rescue && stealing) machine().add_thread([this] { watch(); });
  }

  void arrived(Connection& connection) override { workers_[connection.home]->report(connection); }

  void collect_counts() noexcept override {
    for (const auto& worker : workers_) {
      const PlainCounters& counters = worker->counters();
      counts_.wakes += counters.wakes_sent.value;
      counts_.wasted += counters.wakes_wasted.value;
      counts_.searched += counters.steal_attempts.value;
      counts_.parks += counters.parks.value;
      counts_.rescues += counters.rescues.value;
    }
  }

 private:
  struct Observation {
    std::uint64_t progress = 0;
    std::int64_t since_ns = 0;
  };

  // Watchdog::watch, sample and sample_worker.
  void watch() noexcept {
    std::vector<Observation> seen(workers_.size());
    int frequent_left = 0;
    bool recent = false;
    for (;;) {
      const std::int64_t interval_ns = frequent_left > 0 ? kSampleStalledNs : recent ? kSampleRecentNs : kSampleIdleNs;
      machine().sleep(machine().now_ns() + interval_ns);
      const std::int64_t at_ns = machine().now_ns();
      if (frequent_left > 0) --frequent_left;
      bool any_stuck = false;
      bool help_wanted = false;
      for (std::size_t i = 0; i != workers_.size(); ++i) {
        VoltWorker& worker = *workers_[i];
        const std::uint64_t progress = worker.progress();
        if (progress != seen[i].progress) seen[i] = {.progress = progress, .since_ns = at_ns};
        const bool stuck = sched::TurnRecord::in_turn(progress) && seen[i].since_ns != at_ns;
        if (stuck) worker.mark_stuck(progress, at_ns - seen[i].since_ns);
        shared_.watchdog().sampled(static_cast<std::uint32_t>(i), stuck);
        if (!stuck) continue;
        any_stuck = true;
        help_wanted = help_wanted || worker.has_tasks_to_rescue();
      }
      if (any_stuck) {
        frequent_left = kFrequentSamplesAfterStall;
        recent = true;
      }
      if (help_wanted) static_cast<void>(shared_.notify_one());
    }
  }

  VoltShared shared_;
  std::vector<std::unique_ptr<VoltWorker>> workers_;
};

}  // namespace

std::unique_ptr<Model> make_volt(Load& load, bool stealing, bool rescue) {
  return std::make_unique<VoltModel>(load, stealing, rescue);
}

}  // namespace volt::scaling
