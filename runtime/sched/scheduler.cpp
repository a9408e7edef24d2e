// SPDX-License-Identifier: MIT

#include "runtime/sched/scheduler.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <latch>
#include <mutex>
#include <system_error>

namespace volt::sched {
namespace {

// The processor time of one wake-up through the kernel, for the waking and the woken thread together. In a virtual
// machine a wake-up costs more, because it exits to the hypervisor.
constexpr std::int64_t kWakeCostNs = 5'000;
constexpr std::int64_t kWakeCostVirtualNs = 30'000;

// Other processors do not tell programs; the lower cost then only wakes workers for smaller backlogs.
bool runs_in_virtual_machine() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kHypervisorBit = 1U << 31;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & kHypervisorBit) != 0;
#else
  return false;
#endif
}

}  // namespace

Scheduler::Scheduler(const RuntimeOptions& options, io::Engine engine)
    : log_(options.log),
      resolver_(options.resolver),
      worker_count_(options.workers),
      stealing_(options.enable_stealing && options.workers > 1),
      clock_(options.manual_clock, options.workers),
      wake_cost_ns_(runs_in_virtual_machine() ? kWakeCostVirtualNs : kWakeCostNs),
      idle_(options.workers),
      victims_(options.workers),
      blocking_pool_(options),
      watchdog_(*this, stealing_ && options.enable_rescue),
      spares_(*this, watchdog_.enabled() && !options.manual_clock ? options.spare_workers_max : 0,
              options.spare_idle_timeout) {
  for (std::uint32_t i = 0; i != options.workers; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));

  // A ring belongs to the thread that created it, so each worker's thread creates its own ring. No worker runs tasks
  // before all rings exist. The threads share ownership of `opening`, because a thread may still use a latch after this
  // constructor has returned.
  struct Opening {
    explicit Opening(std::uint32_t workers) : opened(workers) {}
    std::latch opened;
    std::latch decided{1};
    std::mutex mutex;
    std::error_code failure;
  };
  const auto opening = std::make_shared<Opening>(options.workers);
  try {
    for (auto& worker : workers_) {
      threads_.emplace_back([this, opening, engine, self = worker.get()] {
        char name[16];
        std::snprintf(name, sizeof name, "volt-%u", self->index());
        ::pthread_setname_np(::pthread_self(), name);
        self->set_thread(::gettid());
        if (const auto opened = self->open_reactor(engine); !opened) {
          const std::scoped_lock lock(opening->mutex);
          opening->failure = opened.error();
        }
        opening->opened.count_down();
        opening->decided.wait();
        if (!stopping()) self->run();
      });
    }
    opening->opened.wait();
    if (opening->failure) {
      throw std::system_error(opening->failure, engine == io::Engine::uring ? "io_uring_setup" : "epoll_create1");
    }
    watchdog_.start();
  } catch (...) {                          // decided: rethrown when the threads that were created have ended
    stopping_.store(true, base::relaxed);  // relaxed: the latch orders it
    opening->decided.count_down();
    for (auto& thread : threads_) thread.join();
    throw;
  }
  opening->decided.count_down();
}

Scheduler::~Scheduler() { VOLT_CHECK(threads_.empty() || !threads_.front().joinable()); }

void Scheduler::start(TaskHeader& task) {
  Worker* worker = calling_worker();
  if (worker == nullptr) {
    // Assigns the workers in turn. The assignment matters only if stealing is off: the task then runs on this worker.
    const std::uint32_t turn = spawned_outside_.fetch_add(1, base::relaxed);  // relaxed: a turn and a statistic
    task.last_worker = static_cast<std::uint16_t>(turn % worker_count());
    task.turn_at_ns.store(clock_.now_ns(), base::relaxed);  // relaxed: a report
    outside_tasks_.add(task);
  } else {
    task.last_worker = static_cast<std::uint16_t>(worker->index());
    worker->counters().tasks_spawned.add();
    task.turn_at_ns.store(worker->tick_time_ns(), base::relaxed);  // relaxed: a report
    worker->tasks().add(task);
  }
  queue(task, worker);
}

void Scheduler::start_on(TaskHeader& task, std::uint32_t index) {
  Worker* worker = calling_worker();
  if (worker == nullptr) {
    spawned_outside_.fetch_add(1, base::relaxed);           // relaxed: a statistic
    task.turn_at_ns.store(clock_.now_ns(), base::relaxed);  // relaxed: a report
    outside_tasks_.add(task);
  } else {
    worker->counters().tasks_spawned.add();
    task.turn_at_ns.store(worker->tick_time_ns(), base::relaxed);  // relaxed: a report
    worker->tasks().add(task);
  }
  index %= worker_count();  // a spare runs no pinned tasks
  task.last_worker = static_cast<std::uint16_t>(index);
  workers_[index]->post(task);
}

void Scheduler::start_unlisted(TaskHeader& task) noexcept {
  Worker* worker = calling_worker();
  VOLT_CHECK(worker != nullptr);  // its parent is a task of this scheduler
  task.last_worker = static_cast<std::uint16_t>(worker->index());
  worker->counters().tasks_spawned.add();
  enqueue(task);
}

Worker* Scheduler::calling_worker() noexcept {
  const Context* context = current();
  return context != nullptr && &context->worker->scheduler() == this ? context->worker : nullptr;
}

void Scheduler::queue(TaskHeader& task, Worker* worker) noexcept {
  if (worker == nullptr || (stays(task) && task.last_worker != worker->index())) return inject(task);
  worker->push_next(task);
}

void Scheduler::inject(TaskHeader& task) noexcept {
  if (stays(task)) {
    workers_[task.last_worker]->post(task);
    return;
  }
  global_.push(&task);
  notify_one();
}

bool Scheduler::notify_one() noexcept {
  const std::optional<std::uint32_t> claimed = idle_.claim_one();
  if (!claimed) return false;
  workers_[*claimed]->wake();
  return true;
}

std::size_t Scheduler::live_tasks() const noexcept {
  std::size_t count = outside_tasks_.size();
  for_each_worker([&](Worker& worker) { count += worker.tasks().size(); });
  return count;
}

std::uint64_t Scheduler::tasks_run() const noexcept {
  std::uint64_t count = 0;
  for_each_worker([&](const Worker& worker) { count += worker.polls(); });
  return count;
}

// Returns whether no live task is left. The ended tasks are counted first, then the started ones. If the counts are
// equal, no task was alive between the two counts. Checking list by list would not be enough: a task that ends may just
// have spawned a task into a list that was checked before.
bool Scheduler::no_task_left() const noexcept {
  std::size_t ended = outside_tasks_.removed();
  for_each_worker([&](Worker& worker) { ended += worker.tasks().removed(); });
  std::size_t started = outside_tasks_.added();
  for_each_worker([&](Worker& worker) { started += worker.tasks().added(); });
  return started == ended;
}

TaskReport Scheduler::tasks(std::size_t count_max) const {
  std::vector<TaskId> running;
  for_each_worker([&](const Worker& worker) {
    if (Worker::in_task(worker.progress())) running.push_back(worker.task_id());
  });
  const std::int64_t now_ns = clock_.now_ns();
  TaskReport report{.live = live_tasks()};
  report.tasks.reserve(count_max);  // allocates outside the locks
  const auto describe = [&](const TaskHeader& task) {
    TaskInfo info{.id = task.id, .waits_for = task.waits_for.load(base::relaxed)};  // relaxed: a report
    if (!task.state.suspended()) {
      const bool runs = std::ranges::find(running, task.id) != running.end();
      info.phase = runs ? TaskPhase::running : TaskPhase::queued;
    }
    info.cancelled = task.state.cancel_requested();
    const std::int64_t turn_at_ns = task.turn_at_ns.load(base::relaxed);  // relaxed: a report
    info.since = std::chrono::nanoseconds(std::max<std::int64_t>(0, now_ns - turn_at_ns));
    report.tasks.push_back(info);
  };
  outside_tasks_.visit_oldest(count_max, describe);
  for_each_worker([&](Worker& worker) { worker.tasks().visit_oldest(count_max - report.tasks.size(), describe); });
  return report;
}

RuntimeMetrics Scheduler::metrics() const {
  RuntimeMetrics metrics;
  for_each_worker([&](const Worker& worker) {
    const bool is_spare = worker.index() >= worker_count();
    (is_spare ? metrics.spares : metrics.workers).push_back(worker.metrics());
    if (!is_spare) metrics.workers.back().parked = idle_.is_parked(worker.index());
  });
  metrics.spare_activations = spares_.activations();
  metrics.spare_failures = spares_.failures();
  metrics.spawned_outside = spawned_outside_.load(base::relaxed);  // relaxed: a statistic
  metrics.injected = global_.single_pushes();
  metrics.global_queue_length = global_.size();
  metrics.live_tasks = live_tasks();
  blocking_pool_.report(metrics);
  return metrics;
}

void Scheduler::stop() noexcept {
  constexpr auto kBetweenRounds = std::chrono::milliseconds(1);
  for (;;) {
    outside_tasks_.cancel_all();
    for_each_worker([](Worker& worker) { worker.tasks().cancel_all(); });
    if (no_task_left()) break;
    std::this_thread::sleep_for(kBetweenRounds);
  }
  blocking_pool_.stop();
  watchdog_.stop();
  stopping_.store(true, base::relaxed);  // relaxed: a worker that misses it is woken below, by a system call
  for (auto& worker : workers_) worker->wake();
  for (auto& thread : threads_) thread.join();
  spares_.stop();
}

void start(TaskHeader& task) { task.scheduler->start(task); }

void start_on(TaskHeader& task, std::uint32_t worker) { task.scheduler->start_on(task, worker); }

void start_unlisted(TaskHeader& task) noexcept { task.scheduler->start_unlisted(task); }

void enqueue(TaskHeader& task) noexcept {
  Worker* worker = task.scheduler->calling_worker();
  const std::int64_t now_ns = worker != nullptr ? worker->tick_time_ns() : task.scheduler->clock().now_ns();
  task.turn_at_ns.store(now_ns, base::relaxed);  // relaxed: this thread owns it until it is in a queue
  task.scheduler->queue(task, worker);
}

}  // namespace volt::sched
