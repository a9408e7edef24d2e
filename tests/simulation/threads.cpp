// SPDX-License-Identifier: MIT

#include "tests/simulation/threads.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "runtime/base/check.h"

namespace volt::simulation {
namespace {

constexpr double kSwitches[] = {0.01, 0.05, 0.3};

}  // namespace

Threads::Threads(Timeline& timeline, Chance& chance)
    : timeline_(timeline), chance_(chance), switches_(chance.one_of(kSwitches)) {
  Thread& driver = add();
  driver.id = ::gettid();
  driver.handle = ::pthread_self();
  turn_ = &driver;
}

Threads::~Threads() { VOLT_CHECK(alive() == 1); }

// ---- the life of a thread ----

Threads::Thread& Threads::add() { return *threads_.emplace_back(std::make_unique<Thread>()); }

void Threads::begin(Thread& self) {
  std::unique_lock lock(mutex_);
  self.turn_came.wait(lock, [&] { return turn_ == &self; });
  self.id = ::gettid();
}

void Threads::end() {
  Thread& ended = self();
  ended.doing = Doing::ended;
  wake(&ended);
  Thread& next = choose();
  const std::scoped_lock lock(mutex_);
  turn_ = &next;
  next.turn_came.notify_one();
}

void Threads::await_end(pthread_t handle) {
  for (const auto& thread : threads_) {
    if (::pthread_equal(thread->handle, handle) == 0 || thread->doing == Doing::ended) continue;
    while (thread->doing != Doing::ended) wait_for(thread.get(), Timeline::kNever);
    return;
  }
}

std::size_t Threads::alive() const noexcept {
  const auto lives = [](const auto& thread) { return thread->doing != Doing::ended; };
  return static_cast<std::size_t>(std::ranges::count_if(threads_, lives));
}

std::int64_t Threads::waits() const noexcept {
  std::int64_t sum = 0;
  for (const auto& thread : threads_) sum += thread->waits;
  return sum;
}

// ---- turns ----

bool Threads::ready(const Thread& thread) const noexcept {
  switch (thread.doing) {
    case Doing::runs:
      return true;
    case Doing::computes:
    case Doing::sleeps:
      return thread.signal.has_value() || thread.until <= timeline_.now();
    case Doing::preempted:
      return thread.until <= timeline_.now();
    case Doing::waits:
      return thread.woken || thread.until <= timeline_.now();
    case Doing::ended:
      return false;
  }
  return false;
}

// Returns the thread that gets the turn. Lets time pass until there is one.
Threads::Thread& Threads::choose() {
  for (;;) {
    timeline_.run_due();
    std::vector<Thread*> candidates;
    Nanoseconds moment = timeline_.next();
    for (const auto& thread : threads_) {
      if (ready(*thread)) candidates.push_back(thread.get());
      if (thread->doing != Doing::ended) moment = std::min(moment, thread->until);
    }
    if (candidates.empty()) {
      VOLT_CHECK(moment != Timeline::kNever);  // else every thread waits for another one
      timeline_.advance_to(moment);
      continue;
    }
    Thread& next = *chance_.one_of(candidates);
    next.processor_time = processor_time(next);
    next.doing = Doing::runs;
    next.until = Timeline::kNever;
    return next;
  }
}

// Gives the turn away, perhaps to the calling thread itself. Returns when the calling thread has it again.
void Threads::pass() {
  Thread& mine = self();
  Thread& next = choose();
  if (&next != &mine) {
    std::unique_lock lock(mutex_);
    turn_ = &next;
    next.turn_came.notify_one();
    mine.turn_came.wait(lock, [&] { return turn_ == &mine; });
  }
  deliver_signal();
}

// Linux runs the handler before the call returns, because the thread sends the signal to itself.
void Threads::deliver_signal() {
  std::optional<siginfo_t> info = std::exchange(self().signal, std::nullopt);
  if (info) ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), self().id, info->si_signo, &*info);
}

void Threads::wait(Doing doing, const void* key, Nanoseconds until) {
  Thread& mine = self();
  mine.doing = doing;
  mine.waits_for = key;
  mine.woken = false;
  mine.until = until;
  pass();
}

// ---- what the calling thread does ----

void Threads::run_for(Nanoseconds duration) {
  timeline_.pass(duration);
  self().processor_time += duration;
  if (chance_.hits(switches_)) pass();
}

void Threads::compute(Nanoseconds duration) {
  Thread& mine = self();
  const Nanoseconds goal = mine.processor_time + duration;
  while (mine.processor_time < goal) {
    mine.computes_since = timeline_.now();
    wait(Doing::computes, nullptr, timeline_.now() + goal - mine.processor_time);
  }
}

void Threads::lose_processor(Nanoseconds duration) {
  ++self().preemptions;
  wait(Doing::preempted, nullptr, timeline_.now() + duration);
}

bool Threads::sleep_until(Nanoseconds moment) {
  Thread& mine = self();
  ++mine.waits;
  mine.calls_since_wait = 0;
  wait(Doing::sleeps, nullptr, moment);
  return timeline_.now() >= moment;
}

bool Threads::wait_for(const void* key, Nanoseconds moment) {
  Thread& mine = self();
  ++mine.waits;
  mine.calls_since_wait = 0;
  wait(Doing::waits, key, moment);
  return mine.woken;
}

// ---- what it does to others ----

void Threads::wake(const void* key, std::size_t count) {
  std::vector<Thread*> waiting;
  for (const auto& thread : threads_) {
    if (thread->doing == Doing::waits && !thread->woken && thread->waits_for == key) waiting.push_back(thread.get());
  }
  for (; count != 0 && !waiting.empty(); --count) {
    const auto chosen = waiting.begin() + static_cast<std::ptrdiff_t>(chance_.below(waiting.size()));
    (*chosen)->woken = true;
    waiting.erase(chosen);
  }
}

void Threads::send_signal(pid_t thread, const siginfo_t& info) {
  for (const auto& one : threads_) {
    if (one->id == thread && one->doing != Doing::ended) one->signal = info;
  }
}

// ---- what Linux says about a thread ----

const Threads::Thread* Threads::find(pid_t thread) const noexcept {
  for (const auto& one : threads_) {
    if (one->id == thread && one->doing != Doing::ended) return one.get();
  }
  return nullptr;
}

Nanoseconds Threads::processor_time(const Thread& thread) const noexcept {
  if (thread.doing != Doing::computes) return thread.processor_time;
  return thread.processor_time + std::min(timeline_.now(), thread.until) - thread.computes_since;
}

}  // namespace volt::simulation
