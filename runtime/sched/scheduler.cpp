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
#include <source_location>
#include <string>
#include <system_error>

#include "runtime/coro/shared_frame_pool.h"
#include "runtime/sched/process_forks.h"
#include "runtime/sched/signal_stack.h"

namespace volt::sched {
namespace {

// The processor time of one wake-up through the kernel, for the waking and the woken thread together. In a virtual
// machine a wake-up costs more, because it exits to the hypervisor.
constexpr std::int64_t kWakeCostNs = 5'000;
constexpr std::int64_t kWakeCostVirtualNs = 30'000;

// When end_tasks() first reports; each further report follows after kReportsApart times the time.
constexpr auto kReportAfter = std::chrono::seconds(1);
constexpr int kReportsApart = 10;

// Spares are wanted by the watchdog, and live by the real clock.
std::uint32_t spares_max(const RuntimeOptions& options) noexcept {
  return options.enable_rescue && !options.manual_clock ? options.spare_workers_max : 0;
}

// Runs in the handler of the rescue signal.
void on_rescue_signal(const void* signal_context) noexcept {
  const Context* context = current();
  if (context == nullptr) return;
  context->worker->sample_stack(signal_context);
  context->worker->flush_from_signal();
}

// Runs in the handler, for a signal of the profiler's timer.
void on_profile_signal(const void* signal_context) noexcept {
  const Context* context = current();
  if (context != nullptr) context->worker->sample_for_profile(signal_context);
}

// Returns the time from which a task that a thread other than a worker makes runnable is queued. The queue delay of one
// such task in 64 is measured; the digits of the clock choose which.
std::int64_t queued_outside_at_ns(TaskHeader& task) noexcept {
  const std::int64_t now_ns = task.scheduler->clock().now_ns();
  task.queue_delay_sampled = (static_cast<std::uint64_t>(now_ns) * 0x9e3779b97f4a7c15 >> 58) == 0;
  return now_ns;
}
static_assert(Worker::kWakesPerSample == 64);

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

std::string place_text(const std::source_location& place) {
  return place.line() == 0 ? std::string() : std::string(place.file_name()) + ":" + std::to_string(place.line());
}

Scheduler::Scheduler(const RuntimeOptions& options, io::Engine engine)
    : log_(options.log),
      resolver_(options.resolver),
      worker_count_(options.workers),
      stealing_(options.enable_stealing && (options.workers > 1 || spares_max(options) != 0)),
      clock_(options.manual_clock, options.workers),
      wake_cost_ns_(runs_in_virtual_machine() ? kWakeCostVirtualNs : kWakeCostNs),
      idle_(options.workers),
      victims_(options.workers),
      backlogs_(options.workers),
      places_(options.workers),
      blocking_pool_(*this, options),
      rescue_signal_(stealing_ && options.enable_rescue ? options.rescue_signal : 0, on_rescue_signal,
                     on_profile_signal),
      watchdog_(*this, stealing_ && options.enable_rescue, options.workers + spares_max(options)),
      spares_(*this, stealing_ ? spares_max(options) : 0, options.spare_idle_timeout) {
  static_cast<void>(coro::SharedFramePool::of_process());  // allocates it here, where an exception may leave
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
        rescue_signal_.unblock();
        const SignalStack signal_stack;
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
    rescue_signal_.install();              // before any task runs
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
    require_process();
    const std::uint64_t turn = count_outside(task);
    task.turn_at_ns.store(queued_outside_at_ns(task), base::relaxed);  // relaxed: a report
    // Without stealing, the task stays on one worker; they take turns.
    if (!stealing_) task.last_worker = static_cast<std::uint16_t>(turn % worker_count());
    if (stays(task) || task.work_class.heavy()) list_outside(task);  // else it gets into the global queue
  } else {
    task.last_worker = static_cast<std::uint16_t>(worker->index());
    worker->counters().tasks_spawned.add();
    task.turn_at_ns.store(worker->queued_at_ns(task), base::relaxed);  // relaxed: a report
    worker->tasks().add(task);
  }
  queue(task, worker);
}

std::uint64_t Scheduler::count_outside(TaskHeader& task) noexcept {
  const std::uint64_t before = spawned_outside_.fetch_add(1, base::relaxed);  // relaxed: only a number
  task.id = kTaskIdStride + before + 1;
  task.awaits_adoption = true;
  return before;
}

void Scheduler::list_outside(TaskHeader& task) noexcept {
  TaskHeader* const alone = &task;
  outside_tasks_.adopt({&alone, 1});
}

void Scheduler::start_on(TaskHeader& task, std::uint32_t index) {
  Worker* worker = calling_worker();
  if (worker == nullptr) {
    require_process();
    count_outside(task);
    task.turn_at_ns.store(queued_outside_at_ns(task), base::relaxed);  // relaxed: a report
    list_outside(task);
  } else {
    worker->counters().tasks_spawned.add();
    task.turn_at_ns.store(worker->queued_at_ns(task), base::relaxed);  // relaxed: a report
    worker->tasks().add(task);
    worker->timeline().woke(task);
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
  return context != nullptr && context->scheduler == this ? context->worker : nullptr;
}

void Scheduler::queue(TaskHeader& task, Worker* worker) noexcept {
  if (worker != nullptr) worker->timeline().woke(task);
  if (worker == nullptr || (stays(task) && task.last_worker != worker->index())) return inject(task);
  worker->push_next(task);
}

void Scheduler::inject(TaskHeader& task) noexcept {
  if (stays(task)) {
    workers_[task.last_worker]->post(task);
    return;
  }
  if (task.work_class.heavy()) return queue_heavy(task);
  global_.push(&task);
  notify_one();
}

void Scheduler::queue_heavy(TaskHeader& task) noexcept {
  heavy_.push(task);
  notify_one();
}

bool Scheduler::notify_one() noexcept {
  const std::optional<std::uint32_t> claimed = idle_.claim_one();
  if (!claimed) return false;
  wake(*workers_[*claimed]);
  return true;
}

void Scheduler::wake(Worker& claimed) noexcept {
  Worker* const worker = calling_worker();
  if (worker != nullptr) worker->timeline().note(TimelineEvent::Kind::woke_worker, claimed.index());
  claimed.wake();
}

std::size_t Scheduler::live_tasks() const noexcept {
  const std::size_t ended = tasks_ended();  // first: at that time, all of them were started
  return tasks_started() - ended;
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
  const std::size_t ended = tasks_ended();
  return tasks_started() == ended;
}

std::size_t Scheduler::tasks_ended() const noexcept {
  std::size_t ended = outside_tasks_.removed();
  for_each_worker([&](Worker& worker) { ended += worker.tasks().removed(); });
  return ended;
}

std::size_t Scheduler::tasks_started() const noexcept {
  std::size_t started = spawned_outside_.load(base::relaxed);  // relaxed: counted before it was queued and could end
  for_each_worker([&](Worker& worker) { started += worker.tasks().added(); });
  return started;
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
  metrics.heavy_queue_length = heavy_.size();
  metrics.live_tasks = live_tasks();
  metrics.detached_failures = detached_failures_.load(base::relaxed);  // relaxed: a statistic
  blocking_pool_.report(metrics);
  return metrics;
}

void Scheduler::require_process() const noexcept {
  VOLT_REQUIRE(forks_ == process_forks(),
               "a Runtime was used or destroyed in a child process after fork(): its threads exist only in the parent; "
               "call exec() or _exit() in the child, or create the Runtime after the fork");
}

void Scheduler::require_stoppable() const noexcept {
  require_process();
  VOLT_REQUIRE(current_scheduler() != this,
               "a Runtime was destroyed on one of its own threads, which it would wait for; if exit() was called in a "
               "task, call _Exit() there, or let main() return");
}

bool Scheduler::end_tasks(std::chrono::nanoseconds limit,
                          const std::function<void(std::chrono::nanoseconds)>& report) noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr auto kRoundMin = std::chrono::milliseconds(1);
  constexpr auto kRoundMax = std::chrono::milliseconds(50);
  const Clock::time_point began = Clock::now();
  std::chrono::nanoseconds report_after = kReportAfter;
  Clock::duration round = kRoundMin;
  std::size_t started_before = 0;
  for (;;) {
    outside_tasks_.cancel_all();
    for_each_worker([](Worker& worker) { worker.tasks().cancel_all(); });
    if (no_task_left()) return true;
    const std::chrono::nanoseconds waited = Clock::now() - began;
    const bool over = waited >= limit;
    if (over || waited >= report_after) {
      report(waited);
      report_after *= kReportsApart;
    }
    if (over) return false;
    // The next round comes soon while tasks still spawn others, which are not cancelled yet.
    const std::size_t started = tasks_started();
    round = started != started_before ? kRoundMin : std::min<Clock::duration>(2 * round, kRoundMax);
    started_before = started;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(round, limit - waited));
  }
}

void Scheduler::stop() noexcept {
  VOLT_CHECK(no_task_left());
  blocking_pool_.stop();
  watchdog_.stop();
  stopping_.store(true, base::release);  // D3; a worker that misses it is woken below, by a system call
  for (auto& worker : workers_) worker->wake();
  for (auto& thread : threads_) thread.join();
  spares_.stop();
  rescue_signal_.remove();
  std::size_t orphans = 0;
  for_each_worker([&](Worker& worker) { orphans += worker.close_reactor(); });
  owners_.store(orphans + 1, base::relaxed);  // relaxed: ordered by the next store
  ended_.store(true, base::release);          // D1
}

void Scheduler::drop() noexcept {
  if (owners_.fetch_sub(1, base::acq_rel) == 1) delete this;  // D2
}

bool Scheduler::report_rescue_obstacle(pid_t thread) noexcept {
  try {
    const std::string reason = rescue_signal_.obstacle(thread);
    if (reason.empty()) return false;
    if (!obstacle_reported_.exchange(true, base::relaxed) && on_rescue_obstacle_) {  // relaxed: only to report once
      on_rescue_obstacle_(reason);
    }
    return true;
  } catch (const std::exception&) {  // decided: without memory the report is left out
    return false;
  }
}

void start(TaskHeader& task) { task.scheduler->start(task); }

void start_on(TaskHeader& task, std::uint32_t worker) { task.scheduler->start_on(task, worker); }

void start_unlisted(TaskHeader& task) noexcept { task.scheduler->start_unlisted(task); }

void enqueue(TaskHeader& task) noexcept {
  Worker* worker = task.scheduler->calling_worker();
  const std::int64_t at_ns = worker != nullptr ? worker->queued_at_ns(task) : queued_outside_at_ns(task);
  task.turn_at_ns.store(at_ns, base::relaxed);  // relaxed: this thread owns it until it is in a queue
  task.scheduler->queue(task, worker);
}

}  // namespace volt::sched
