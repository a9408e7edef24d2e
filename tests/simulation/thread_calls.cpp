// SPDX-License-Identifier: MIT

// The functions that the linker substitutes for the server's calls that concern threads and the time (--wrap,
// tests/CMakeLists.txt): threads start and end, locks and condition variables, clocks, sleeps. On threads outside the
// simulation, and inside the simulated kernel, the calls go to the C and C++ libraries.
//
// A lock is contended only if its holder has given its turn away, and a wait ends only when another thread has the
// turn. So each wait gives the turn away instead of waiting in Linux.
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "tests/simulation/kernel.h"

using namespace volt::simulation;

// ThreadState is the class of libstdc++ that holds the function of a std::thread. It is private in libstdc++ 14, and an
// explicit instantiation may name it all the same ([temp.spec.general], on access checks).
struct StateTag {
  friend auto state_of_thread(StateTag);
};
template <class State>
struct ExposedState {
  friend auto state_of_thread(StateTag) { return std::type_identity<State>(); }
};
template struct ExposedState<std::thread::_State>;
using ThreadState = decltype(state_of_thread(StateTag()))::type;
using ThreadBody = std::unique_ptr<ThreadState>;

extern "C" {
int __real_clock_gettime(clockid_t, timespec*);
int __real_getrusage(int, rusage*);
int __real_nanosleep(const timespec*, timespec*);
int __real_pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
int __real_pthread_mutex_lock(pthread_mutex_t*);
int __real_pthread_mutex_unlock(pthread_mutex_t*);
int __real_sched_yield();
std::int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv();
std::int64_t __real__ZNSt6chrono3_V212system_clock3nowEv();
void __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(std::thread*,
                                                                                                  ThreadBody,
                                                                                                  void (*)());
void __real__ZNSt6thread4joinEv(std::thread*);
void __real__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable*,
                                                                      std::unique_lock<std::mutex>&);
void __real__ZNSt18condition_variable10notify_oneEv(std::condition_variable*);
void __real__ZNSt18condition_variable10notify_allEv(std::condition_variable*);
}

namespace volt::simulation {
namespace {

// Returns the kernel that handles a call of the server; null for the libraries.
SimulatedKernel* kernel_of_server() noexcept { return inside_kernel() ? nullptr : current_kernel(); }

Nanoseconds duration_of(const timespec& time) noexcept {
  return Nanoseconds(std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec);
}

timespec timespec_of(Nanoseconds duration) noexcept {
  return {.tv_sec = duration.count() / 1'000'000'000, .tv_nsec = duration.count() % 1'000'000'000};
}

void lock(SimulatedKernel& kernel, pthread_mutex_t* mutex) {
  while (::pthread_mutex_trylock(mutex) != 0) kernel.threads().wait_for(mutex, Timeline::kNever);
}

void unlock(SimulatedKernel& kernel, pthread_mutex_t* mutex) {
  __real_pthread_mutex_unlock(mutex);
  kernel.threads().wake(mutex);
}

// Returns false if the time is over.
bool wait(SimulatedKernel& kernel, const void* condition, pthread_mutex_t* mutex, Nanoseconds until) {
  const InsideKernel inside;
  kernel.pass_time();
  unlock(kernel, mutex);
  const bool woken = kernel.threads().wait_for(condition, until);
  lock(kernel, mutex);
  return woken;
}

// The function of a thread of the simulation.
class Body final : public ThreadState {
 public:
  Body(SimulatedKernel& kernel, Threads::Thread& thread, ThreadBody body)
      : kernel_(kernel), thread_(thread), body_(std::move(body)) {}

  void _M_run() override {
    set_current_kernel(&kernel_);
    {
      const InsideKernel inside;
      kernel_.threads().begin(thread_);
    }
    body_->_M_run();
    body_.reset();
    const InsideKernel inside;
    kernel_.threads().end();
    set_current_kernel(nullptr);
  }

 private:
  SimulatedKernel& kernel_;
  Threads::Thread& thread_;
  ThreadBody body_;
};

// Returns the processor clock of a thread that `clock` stands for; null if it is another clock.
const Threads::Thread* thread_of(SimulatedKernel& kernel, clockid_t clock) {
  if (clock == CLOCK_THREAD_CPUTIME_ID) return &kernel.threads().self();
  return clock < 0 ? kernel.threads().find(static_cast<pid_t>(~(clock >> 3))) : nullptr;
}

}  // namespace

void compute(Nanoseconds duration) {
  const InsideKernel inside;
  current_kernel()->threads().compute(duration);
}

}  // namespace volt::simulation

extern "C" {

// ---- threads ----

void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(std::thread* thread,
                                                                                                  ThreadBody body,
                                                                                                  void (*depend)()) {
  SimulatedKernel* kernel = kernel_of_server();
  std::optional<InsideKernel> inside;
  if (kernel != nullptr) {
    inside.emplace();
    kernel->pass_time();
    if (const int fault = kernel->shortage(); fault != 0) {
      kernel->traced("thread", -1, 0, -fault);
      throw std::system_error(fault, std::generic_category());
    }
    body = std::make_unique<Body>(*kernel, kernel->threads().add(), std::move(body));
    kernel->traced("thread", -1, 0, 0);
  }
  __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(thread, std::move(body),
                                                                                               depend);
  if (kernel != nullptr) kernel->threads().started(thread->native_handle());
}

void __wrap__ZNSt6thread4joinEv(std::thread* thread) {
  if (SimulatedKernel* kernel = kernel_of_server()) {
    const InsideKernel inside;
    kernel->threads().await_end(thread->native_handle());
  }
  __real__ZNSt6thread4joinEv(thread);
}

int __wrap_sched_yield() {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr) return __real_sched_yield();
  const InsideKernel inside;
  kernel->pass_time();
  kernel->threads().lose_processor(Nanoseconds(1'000));
  return 0;
}

int __wrap_getrusage(int who, rusage* use) {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr || who != RUSAGE_THREAD) return __real_getrusage(who, use);
  const InsideKernel inside;
  kernel->pass_time();
  *use = {};
  use->ru_nivcsw = kernel->threads().self().preemptions;
  use->ru_nvcsw = kernel->threads().self().waits;
  return 0;
}

// ---- locks and condition variables ----

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr) return __real_pthread_mutex_lock(mutex);
  const InsideKernel inside;
  kernel->pass_time();
  lock(*kernel, mutex);
  return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr) return __real_pthread_mutex_unlock(mutex);
  const InsideKernel inside;
  unlock(*kernel, mutex);
  return 0;
}

int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const timespec* until) {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr) return __real_pthread_cond_clockwait(condition, mutex, clock, until);
  return wait(*kernel, condition, mutex, duration_of(*until)) ? 0 : ETIMEDOUT;
}

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* condition,
                                                                      std::unique_lock<std::mutex>& held) {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr) return __real__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(condition, held);
  wait(*kernel, condition->native_handle(), held.mutex()->native_handle(), Timeline::kNever);
}

void __wrap__ZNSt18condition_variable10notify_oneEv(std::condition_variable* condition) {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr) return __real__ZNSt18condition_variable10notify_oneEv(condition);
  const InsideKernel inside;
  kernel->pass_time();
  kernel->threads().wake(condition->native_handle(), 1);
}

void __wrap__ZNSt18condition_variable10notify_allEv(std::condition_variable* condition) {
  SimulatedKernel* kernel = kernel_of_server();
  if (kernel == nullptr) return __real__ZNSt18condition_variable10notify_allEv(condition);
  const InsideKernel inside;
  kernel->pass_time();
  kernel->threads().wake(condition->native_handle());
}

// ---- time ----

int __wrap_clock_gettime(clockid_t clock, timespec* time) {
  SimulatedKernel* kernel = current_kernel();
  if (kernel == nullptr) return __real_clock_gettime(clock, time);
  const InsideKernel inside;
  const Nanoseconds now(kernel->read_clock());
  const Threads::Thread* thread = thread_of(*kernel, clock);
  if (thread == nullptr && clock < 0) {
    errno = EINVAL;
    return -1;
  }
  *time = timespec_of(thread != nullptr ? kernel->threads().processor_time(*thread) : now);
  return 0;
}

std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  SimulatedKernel* kernel = current_kernel();
  if (kernel == nullptr) return __real__ZNSt6chrono3_V212steady_clock3nowEv();
  const InsideKernel inside;
  return kernel->read_clock();
}

std::int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv() {
  constexpr std::int64_t kWallClock = 1'700'000'000'000'000'000;
  SimulatedKernel* kernel = current_kernel();
  if (kernel == nullptr) return __real__ZNSt6chrono3_V212system_clock3nowEv();
  const InsideKernel inside;
  return kWallClock + kernel->read_clock();
}

int __wrap_nanosleep(const timespec* time, timespec* left) {
  SimulatedKernel* kernel = current_kernel();
  if (kernel == nullptr) return __real_nanosleep(time, left);
  const InsideKernel inside;
  const Nanoseconds until = kernel->now() + duration_of(*time);
  if (kernel->threads().sleep_until(until)) return 0;
  if (left != nullptr) *left = timespec_of(until - kernel->now());
  errno = EINTR;
  return -1;
}

}  // extern "C"
