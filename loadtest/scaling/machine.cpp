// SPDX-License-Identifier: MIT

#include "loadtest/scaling/machine.h"

#include <sched.h>

#include <algorithm>

#include "runtime/base/check.h"

namespace volt::scaling {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr std::uintptr_t kLineBytes = 64;
constexpr std::int64_t kThreadsApartNs = 10'000;  // threads are started one after another
Machine* the_machine = nullptr;

}  // namespace

Machine& machine() noexcept { return *the_machine; }

// The atomics are also used while the objects of a model are built, when no thread runs.
void touch(const void* address, Access access, const char* function) noexcept {
  if (the_machine != nullptr) the_machine->touch(address, access, function);
}
void fence() noexcept { the_machine->spend(the_machine->costs().exchange_ns); }
void pause() noexcept { the_machine->spend(the_machine->costs().pause_ns); }

}  // namespace volt::scaling

// SpinWait yields its processor after some pauses: virtual time has to pass there, not real time. This definition takes
// the place of the C library's.
extern "C" int sched_yield() noexcept {
  volt::scaling::machine().spend(volt::scaling::machine().costs().poll_ns);
  return 0;
}

namespace volt::scaling {

Machine::Machine(const Costs& costs, std::uint32_t cores, std::uint32_t domains)
    : costs_(costs), cores_(cores), domains_(domains), domain_cores_(domains) {
  VOLT_CHECK(the_machine == nullptr && domains != 0 && cores <= kThreadsMax - 1);
  for (std::uint32_t core = 0; core != kThreadsMax; ++core) domain_cores_[domain(core)].set(core);
  the_machine = this;
}

Machine::~Machine() { the_machine = nullptr; }

std::uint32_t Machine::domain(std::uint32_t core) const noexcept {
  return core < cores_ ? static_cast<std::uint32_t>(std::uint64_t{core} * domains_ / cores_) : 0;
}

void Machine::add_thread(std::function<void()> body) {
  const auto index = static_cast<std::uint32_t>(threads_.size());
  VOLT_CHECK(index < kThreadsMax);
  threads_.push_back({.body = std::move(body), .fiber = std::make_unique<model::Fiber>(kStackBytes)});
  threads_.back().fiber->start(enter);
  make_ready(index, index * kThreadsApartNs);
}

void Machine::enter() noexcept {
  the_machine->threads_[the_machine->current_].body();
  VOLT_CHECK(!"a virtual thread has returned");
}

void Machine::run(std::function<std::int64_t()> next_outside_ns, std::function<void()> outside) {
  next_outside_ns_ = std::move(next_outside_ns);
  outside_ = std::move(outside);
  running_ = true;
  switch_away();
  running_ = false;
  current_ = kOutside;
}

// ---- time ----

std::int64_t Machine::now_ns() const noexcept {
  return current_ == kOutside ? outside_ns_ : threads_[current_].clock_ns;
}

void Machine::spend(std::int64_t ns) noexcept {
  if (current_ == kOutside) return;
  threads_[current_].clock_ns += ns;
  let_earlier_run();
}

void Machine::make_ready(std::uint32_t thread, std::int64_t at_ns) noexcept {
  ready_.push({.at_ns = at_ns, .order = ++order_, .thread = thread, .ticket = ++threads_[thread].ticket});
  horizon_ns_ = std::min(horizon_ns_, at_ns);
}

void Machine::update_horizon() noexcept {
  horizon_ns_ = std::min(next_outside_ns_(), ready_.empty() ? kNever : ready_.top().at_ns);
}

void Machine::let_earlier_run() noexcept {
  Thread& thread = threads_[current_];
  if (thread.clock_ns <= horizon_ns_ && !ended_) return;
  make_ready(current_, thread.clock_ns);
  switch_away();
}

// Lets everything happen that comes before the next thread's turn, and switches to that thread.
void Machine::switch_away() noexcept {
  const std::uint32_t before = current_;
  current_ = kOutside;
  for (;;) {
    while (!ready_.empty() && ready_.top().ticket != threads_[ready_.top().thread].ticket) ready_.pop();
    const std::int64_t thread_ns = ready_.empty() ? kNever : ready_.top().at_ns;
    const std::int64_t outside_ns = next_outside_ns_();
    if (ended_ || (thread_ns == kNever && outside_ns == kNever)) break;
    if (outside_ns <= thread_ns) {
      outside_ns_ = outside_ns;
      outside_();
      continue;
    }
    const std::uint32_t next = ready_.top().thread;
    ready_.pop();
    if (threads_[next].asleep) end_sleep(next, thread_ns);
    threads_[next].clock_ns = std::max(threads_[next].clock_ns, thread_ns);
    current_ = next;
    update_horizon();
    if (next == before) return;
    (before == kOutside ? main_ : *threads_[before].fiber).switch_to(*threads_[next].fiber);
    return;
  }
  if (before != kOutside) threads_[before].fiber->switch_to(main_);
}

// ---- sleep ----

void Machine::sleep(std::int64_t until_ns) noexcept {
  let_earlier_run();
  Thread& thread = threads_[current_];
  if (std::exchange(thread.woken, false)) return;
  thread.asleep = true;
  thread.asleep_since_ns = thread.clock_ns;
  if (until_ns != kNever) make_ready(current_, std::max(until_ns, thread.clock_ns));
  switch_away();
  threads_[current_].woken = false;
}

void Machine::end_sleep(std::uint32_t thread, std::int64_t at_ns) noexcept {
  Thread& sleeper = threads_[thread];
  sleeper.asleep = false;
  sleeper.slept_ns += at_ns - std::max(sleeper.asleep_since_ns, counts_since_ns_);
}

void Machine::wake(std::uint32_t thread) noexcept {
  spend(costs_.wake_send_ns);
  wake_by_kernel(thread);
}

void Machine::wake_by_kernel(std::uint32_t thread) noexcept {
  Thread& sleeper = threads_[thread];
  if (sleeper.woken) return;
  sleeper.woken = true;
  if (sleeper.asleep) make_ready(thread, now_ns() + costs_.wake_latency_ns);
}

// ---- lines ----

std::int64_t Machine::distance(std::uint32_t core, std::uint32_t other) const noexcept {
  return domain(core) == domain(other) ? costs_.line_same_domain_ns : costs_.line_other_domain_ns;
}

bool Machine::any_in_other_domain(const Cores& cores, std::uint32_t core) const noexcept {
  return (cores & ~domain_cores_[domain(core)]).any();
}

void Machine::touch(const void* address, Access access, const char* function) noexcept {
  if (current_ == kOutside) return;
  const std::uint32_t core = current_;
  Line& line = lines_[reinterpret_cast<std::uintptr_t>(address) / kLineBytes];
  const auto held = [&] { return line.holders.test(core) && (access == Access::read || line.holders.count() == 1); };
  if (held()) {
    Thread& thread = threads_[core];
    thread.clock_ns += access == Access::exchange ? costs_.exchange_ns : costs_.hit_ns;
    if (thread.clock_ns > horizon_ns_ + kSlackNs) let_earlier_run();
    return;
  }
  let_earlier_run();
  if (held()) {  // unlike a moment ago
    threads_[core].clock_ns += costs_.hit_ns;
    return;
  }
  std::int64_t& clock_ns = threads_[core].clock_ns;
  const bool is_new = line.holders.none();
  Cores others = line.holders;
  others.reset(core);
  const bool far = access == Access::read ? !is_new && domain(line.last == kOutside ? core : line.last) != domain(core)
                                          : any_in_other_domain(others, core);
  const std::int64_t moves_ns = far ? costs_.line_other_domain_ns : costs_.line_same_domain_ns;
  if (!is_new) count_move(function, far);
  if (access == Access::read) {
    clock_ns = std::max(clock_ns, line.free_at_ns) + moves_ns;
    line.holders.set(core);
    return;
  }
  clock_ns = std::max(clock_ns, line.free_at_ns) + moves_ns;
  line.free_at_ns = clock_ns;
  line.holders.reset();
  line.holders.set(core);
  line.last = core;
}

void Machine::fetch_task(std::uint32_t from) noexcept {
  if (from == current_) return;
  const bool far = domain(from) != domain(current_);
  task_lines_.lines += costs_.task_lines;
  if (far) task_lines_.between_domains += costs_.task_lines;
  spend(costs_.task_lines / costs_.lines_in_flight * distance(current_, from));
}

// ---- results ----

void Machine::count_move(const char* function, bool between_domains) noexcept {
  Moved& moved = counts_[function];
  ++moved.lines;
  if (between_domains) ++moved.between_domains;
}

void Machine::reset_counts() noexcept {
  counts_.clear();
  task_lines_ = {};
  counts_since_ns_ = now_ns();
  for (Thread& thread : threads_) thread.slept_ns = 0;
}

const std::map<std::string, Machine::Moved>& Machine::moved() const noexcept {
  moved_.clear();
  for (const auto& [function, count] : counts_) {
    Moved& sum = moved_[function];
    sum.lines += count.lines;
    sum.between_domains += count.between_domains;
  }
  return moved_;
}

std::int64_t Machine::awake_ns(std::uint32_t count) const noexcept {
  std::int64_t sum_ns = 0;
  for (std::uint32_t i = 0; i != count; ++i) {
    const Thread& thread = threads_[i];
    const std::int64_t slept_ns =
        thread.slept_ns + (thread.asleep ? outside_ns_ - std::max(thread.asleep_since_ns, counts_since_ns_) : 0);
    sum_ns += outside_ns_ - counts_since_ns_ - slept_ns;
  }
  return sum_ns;
}

}  // namespace volt::scaling
