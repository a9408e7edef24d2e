// SPDX-License-Identifier: MIT

// LoopWorker: a worker of a body. Its decisions are those of the runtime (runtime/sched/worker_loop.h, spare_loop.h),
// or of a faulty copy (mutants.cmake). Its queues are the runtime's or, to keep bodies small, none. The bodies replace
// the other parts of Worker: the reactor is an Event, the clock stands still, and a task is a Job.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/sched/backlog_limits.h"
#include "runtime/sched/global_queue.h"
#include "runtime/sched/idle_state.h"
#include "runtime/sched/inbox.h"
#include "runtime/sched/lifo_slot.h"
#include "runtime/sched/run_queue.h"
#include "runtime/sched/spare_duty.h"
#include "runtime/sched/spare_loop.h"
#include "runtime/sched/worker_loop.h"
#include "runtime/sched/worker_set.h"
#include "tests/model/body.h"

namespace volt::model {

// A task.
struct Job {
  struct Class {
    bool urgent = false;
    [[nodiscard]] bool is_urgent() const noexcept { return urgent; }
  };

  Job* queue_next = nullptr;
  bool pinned = false;
  bool heavy = false;
  Class work_class;
  int done = 0;  // not atomic: two workers that run the job are a race
};

// ---- queues that have no place for a job ----

// As RunQueue, but all jobs go to the queue of all workers.
class NoRunQueue {
 public:
  explicit NoRunQueue(sched::GlobalQueue<Job>& global) noexcept : global_(global) {}
  [[nodiscard]] std::uint32_t size() const noexcept { return 0; }
  [[nodiscard]] bool empty() const noexcept { return true; }
  [[nodiscard]] std::uint32_t room() const noexcept { return 0; }
  bool push(Job* job) noexcept {
    global_.push(job);
    return false;
  }
  [[nodiscard]] Job* pop() noexcept { return nullptr; }
  [[nodiscard]] std::uint32_t steal_half_into(NoRunQueue&) noexcept { return 0; }

 private:
  sched::GlobalQueue<Job>& global_;
};

struct NoLifoSlot {
  [[nodiscard]] bool empty() const noexcept { return true; }
  [[nodiscard]] bool try_put(Job&) noexcept { return false; }
  [[nodiscard]] Job* put(Job& job) noexcept { return &job; }
  [[nodiscard]] Job* take() noexcept { return nullptr; }
};

struct NoUrgentQueue {
  [[nodiscard]] bool empty() const noexcept { return true; }
  void push(Job*) noexcept { require(false, "the body has no urgent jobs"); }
  [[nodiscard]] Job* pop() noexcept { return nullptr; }
};

// Constructed as NoRunQueue is.
struct SmallRunQueue : sched::RunQueue<Job, 4> {
  explicit SmallRunQueue(sched::GlobalQueue<Job>&) noexcept {}
};

// The queues of the workers of a body.
struct OnlySharedQueues {
  using Run = NoRunQueue;
  using Lifo = NoLifoSlot;
  using Urgent = NoUrgentQueue;
};
struct LocalQueues {
  using Run = SmallRunQueue;
  using Lifo = NoLifoSlot;
  using Urgent = NoUrgentQueue;
};
struct AllQueues {
  using Run = SmallRunQueue;
  using Lifo = sched::LifoSlot<Job>;
  using Urgent = sched::GlobalQueue<Job>;
};

// Counters are no part of a model.
struct NoCounter {
  void add(std::uint64_t = 1) const noexcept {}
};
struct NoCounters {
  struct ByVictim {
    NoCounter operator[](std::uint32_t) const noexcept { return {}; }
  };
  NoCounter from_lifo, from_local, from_pinned, from_global, from_heavy, stolen, steal_attempts, parks, wakes_sent,
      wakes_wasted, rescues, rescued_tasks, queue_overflows;
  ByVictim stolen_from;
};

// Nor are timelines.
struct NoTimeline {
  void begin_search() const noexcept {}
  void begin_theft() const noexcept {}
  void end_theft(std::uint32_t, std::uint64_t) const noexcept {}
  void end_rescue(std::uint32_t, std::uint64_t) const noexcept {}
};

// The members of Scheduler that the loop uses, which the workers of a body share.
template <class Worker, std::uint32_t kWorkers>
class LoopShared {
 public:
  // Visits the workers in order. A random walk would hide from the explorer what an execution depends on.
  struct Victims {
    template <class Visit>
    bool visit_all(int, Visit&& visit) const {
      for (std::uint32_t i = 0; i != kWorkers; ++i) {
        if (visit(i)) return true;
      }
      return false;
    }
    template <class Places, class Visit>
    bool visit_near_first(int random, const Places&, std::uint32_t, Visit&& visit) const {
      return visit_all(random, visit);
    }
  };
  struct Watchdog {
    bool stuck = false;  // set by bodies in which a worker gets stuck
    void activity() noexcept {}
    [[nodiscard]] bool any_stuck() const noexcept { return stuck; }
    [[nodiscard]] bool may_be_stuck(std::uint32_t) const noexcept { return stuck; }
  };
  struct Places {};
  struct Spares {
    Worker* spare = nullptr;
    [[nodiscard]] std::uint32_t count() const noexcept { return spare != nullptr ? 1 : 0; }
    [[nodiscard]] Worker& worker(std::uint32_t) const noexcept { return *spare; }
  };

  [[nodiscard]] sched::GlobalQueue<Job>& global() noexcept { return global_; }
  [[nodiscard]] sched::GlobalQueue<Job>& heavy() noexcept { return heavy_; }
  [[nodiscard]] sched::IdleState& idle() noexcept { return idle_; }
  [[nodiscard]] Watchdog& watchdog() noexcept { return watchdog_; }
  [[nodiscard]] const Victims& victims() const noexcept { return victims_; }
  [[nodiscard]] sched::WorkerSet& backlogs() noexcept { return backlogs_; }
  [[nodiscard]] static Places places() noexcept { return {}; }
  [[nodiscard]] Spares& spares() noexcept { return spares_; }
  [[nodiscard]] bool stealing() const noexcept { return true; }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(base::acquire); }
  [[nodiscard]] std::uint32_t worker_count() const noexcept { return kWorkers; }
  [[nodiscard]] Worker& worker(std::uint32_t index) const noexcept { return *workers_[index]; }
  void add(Worker& worker) noexcept { (worker.index_ < kWorkers ? workers_[worker.index_] : spares_.spare) = &worker; }

  // Repeat the functions of Scheduler of these names.
  void inject(Job& job) noexcept {
    if (job.heavy) return queue_heavy(job);
    global_.push(&job);
    notify_one();
  }
  void queue_heavy(Job& job) noexcept {
    heavy_.push(&job);
    notify_one();
  }
  bool notify_one() noexcept {
    const auto claimed = idle_.claim_one();
    if (!claimed) return false;
    workers_[*claimed]->wake();
    return true;
  }
  void stop() noexcept {
    stopping_.store(true, base::release);
    for (Worker* worker : workers_) worker->wake_in_order();
    if (spares_.spare != nullptr) spares_.spare->wake_in_order();
  }

 private:
  std::array<Worker*, kWorkers> workers_{};
  sched::GlobalQueue<Job> global_;
  sched::GlobalQueue<Job> heavy_;
  sched::IdleState idle_{kWorkers};
  base::Atomic<bool> stopping_{false};
  Victims victims_;
  sched::WorkerSet backlogs_{kWorkers};
  Watchdog watchdog_;
  Spares spares_;
};

// `Model` is the body. It has kWorkers and a member run(worker, job); the other members that a worker calls are those
// of LoopHooks, unless the body hides them.
template <template <class, class> class Loop, class Model, class Queues>
struct LoopWorker : Loop<LoopWorker<Loop, Model, Queues>, Job> {
  using Base = Loop<LoopWorker, Job>;
  using Shared = LoopShared<LoopWorker, Model::kWorkers>;

  LoopWorker(Model& body, Shared& shared, std::uint32_t index)
      : model(body), scheduler_(shared), index_(index), is_spare_(index >= Model::kWorkers) {
    shared.add(*this);
    if (is_spare_ || Model::kWorkers == 1) limits_.exclude_thieves();
    constexpr std::int64_t kLongTask = sched::BacklogLimits::kStealWorthNs;  // each task is worth a wake-up and a theft
    limits_.follow(kLongTask, 0);
  }

  void work() noexcept { this->run_until_stopped(); }
  void work_as_spare() noexcept { this->run_until_service_ends(); }
  void collect_inbox() noexcept { this->drain_inbox(); }
  void wake_by_event(Job& job) noexcept {
    this->queue_woken(job);
    this->notify_if_worth_it();
  }
  // As Worker::post.
  void post(Job& job) noexcept {
    inbox_.post(job);
    if (scheduler_.idle().claim(index_)) wake();
  }
  void set_global_interval(std::uint32_t polls) noexcept { this->polls_between_global_ = polls; }

  // ---- what the loop asks for ----
  void collect_events() noexcept { model.collect_events(*this); }
  void take_io_turn() noexcept {
    this->polls_since_io_ = 0;
    this->urgent_due_ = true;
    model.collect_events(*this);
  }
  void unwatch(io::Source& source) noexcept { model.unwatch(source); }
  [[nodiscard]] bool drained() const noexcept { return inbox_.empty(); }
  [[nodiscard]] std::uint32_t polls_before_io() const noexcept { return Model::kPollsBeforeIo; }
  [[nodiscard]] std::int64_t tick_time_ns() const noexcept { return model.tick_time_ns(*this); }
  void end_tick(std::uint32_t, std::int64_t, bool) noexcept {}
  void adopt(std::span<Job* const>) noexcept {}
  void run(Job& job) noexcept { model.run(*this, job); }
  [[nodiscard]] bool goes_to_heavy(const Job& job) const noexcept { return job.heavy; }
  [[nodiscard]] bool heavy_is_due() const noexcept { return model.heavy_is_due(*this); }
  void note_due_turn() noexcept { model.note_due_turn(*this); }
  [[nodiscard]] bool may_take_heavy() const noexcept { return true; }
  [[nodiscard]] bool before_park() noexcept { return model.before_park(*this); }
  void sleep() noexcept { model.sleep(*this); }
  void poll_without_sleep() noexcept { model.poll_without_sleep(*this); }
  [[nodiscard]] bool clock_moved() const noexcept { return false; }
  [[nodiscard]] bool worth_forking_for() const noexcept { return false; }
  [[nodiscard]] bool fork_for(LoopWorker&) noexcept { return false; }
  [[nodiscard]] bool stay_for_forks() const noexcept { return false; }
  [[nodiscard]] bool stuck() const noexcept { return model.stuck(*this); }
  [[nodiscard]] bool has_events_to_rescue() const noexcept { return false; }
  [[nodiscard]] bool has_due_timers() const noexcept { return false; }
  [[nodiscard]] std::uint64_t rescue_events(LoopWorker&) noexcept { return 0; }
  [[nodiscard]] bool send_streams_home() noexcept { return model.send_streams_home(*this); }
  [[nodiscard]] bool may_end_spare(std::int64_t) const noexcept { return model.may_end_spare(*this); }
  void sleep_as_spare(bool, std::int64_t, std::int64_t send_home_at_ns) noexcept {
    model.sleep_as_spare(*this, send_home_at_ns);
  }

  // Wakes the worker, without and with the order of memory that a system call gives (Event).
  void wake() noexcept { model.wake(*this); }
  void wake_in_order() noexcept { model.wake_in_order(*this); }

  Model& model;
  Event wakes;  // its reactor, unless the body has one
  Shared& scheduler_;
  const std::uint32_t index_;
  const bool is_spare_;
  const int random_ = 0;
  typename Queues::Lifo lifo_;
  typename Queues::Run queue_{scheduler_.global()};
  sched::BacklogLimits limits_;
  typename Queues::Urgent urgent_;
  base::Chain<Job> pinned_;
  sched::BasicInbox<Job> inbox_;
  sched::SpareDuty duty_;
  NoCounters counters_;
  NoTimeline timeline_;

  [[nodiscard]] bool has_jobs() noexcept {
    return !lifo_.empty() || !queue_.empty() || !urgent_.empty() || !pinned_.empty() || !inbox_.empty();
  }
};

// The thread that pushes jobs to a worker whose queues never become empty, and which would never let that thread run.
class PushingThread {
 public:
  void has_ended() noexcept { ended_.store(true, base::relaxed); }
  // Called by the worker in each job. After some jobs, waits until the thread has ended.
  void let_end() noexcept {
    while (++jobs_ > kJobsAlone && !ended_.load(base::relaxed)) pause();
  }

 private:
  static constexpr std::uint32_t kJobsAlone = 12;

  std::uint32_t jobs_ = 0;
  base::Atomic<bool> ended_{false};
};

// A worker without events and time, which is never stuck and owes heavy jobs nothing.
struct LoopHooks {
  static constexpr std::uint32_t kPollsBeforeIo = sched::TickBudget::kPollsBeforeIo;

  template <class Worker>
  void collect_events(Worker& worker) noexcept {
    worker.collect_inbox();
  }
  void unwatch(io::Source&) noexcept { require(false, "the body has no sources"); }
  template <class Worker>
  void wake(Worker& worker) noexcept {
    worker.wakes.signal();
  }
  template <class Worker>
  void wake_in_order(Worker& worker) noexcept {
    worker.wakes.signal_in_order();
  }
  template <class Worker>
  void sleep(Worker& worker) noexcept {
    worker.wakes.wait();
  }
  template <class Worker>
  void poll_without_sleep(Worker&) noexcept {}
  template <class Worker>
  [[nodiscard]] bool before_park(Worker&) noexcept {
    return true;
  }
  template <class Worker>
  [[nodiscard]] std::int64_t tick_time_ns(const Worker&) const noexcept {
    return 0;
  }
  template <class Worker>
  [[nodiscard]] bool heavy_is_due(const Worker&) const noexcept {
    return false;
  }
  template <class Worker>
  void note_due_turn(Worker&) noexcept {}
  template <class Worker>
  [[nodiscard]] bool stuck(const Worker&) const noexcept {
    return false;
  }
  template <class Worker>
  [[nodiscard]] bool send_streams_home(Worker&) noexcept {
    return true;
  }
  template <class Worker>
  [[nodiscard]] bool may_end_spare(const Worker&) const noexcept {
    return true;
  }
  template <class Worker>
  void sleep_as_spare(Worker& worker, std::int64_t) noexcept {
    worker.wakes.wait();
  }
};

}  // namespace volt::model
