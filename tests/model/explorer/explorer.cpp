// SPDX-License-Identifier: MIT

#include "tests/model/explorer/explorer.h"

#include <sys/single_threaded.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "tests/model/explorer/fiber.h"
#include "tests/model/explorer/memory.h"
#include "tests/model/explorer/operations.h"
#include "tests/model/explorer/plain_memory.h"
#include "tests/model/explorer/trace.h"
#include "tests/model/explorer/visited.h"

namespace volt::model {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::uint64_t kOperationsMax = 4000;  // of one execution; a body has a few hundred
// The fiber that constructs and finishes the body; the threads' fibers follow.
constexpr unsigned kMain = 0;

class Exploration;
Exploration* running = nullptr;

class Exploration {
 public:
  Exploration(unsigned threads, MakeBody make, const Options& options)
      : threads_(threads + 1), make_(make), options_(options) {
    for (unsigned i = 0; i != threads_; ++i) fibers_.push_back(std::make_unique<Fiber>(kStackBytes));
    __libc_single_threaded = 0;  // else a shared_ptr counts without atomics, which would be a race
  }

  Report run() {
    const std::clock_t began = std::clock();
    running = this;
    do {
      execute();
      ++report_.executions;
    } while (report_.failure.empty() && report_.executions != options_.executions_max && next_path());
    report_.complete = report_.failure.empty() && path_.empty();
    if (!report_.failure.empty()) write_trace();
    running = nullptr;
    report_.states = visited_.size();
    report_.seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    return std::move(report_);
  }

  // ---- operations, called on the fiber of the thread that performs them ----

  std::uint32_t create(std::uint64_t value) {
    const std::uint32_t atomic = memory_.create(current_, value);
    check_room();
    return atomic;
  }

  void destroy(std::uint32_t atomic) { memory_.destroy(atomic); }

  std::uint64_t load(std::uint32_t atomic, const Ordering& asked) {
    const Ordering ordering = begin(atomic, asked);
    const unsigned age = choose_age(memory_.visible(current_, atomic, ordering.order));
    const std::uint64_t value = memory_.load(current_, atomic, ordering.order, age);
    looked_at(atomic, age);
    if (trace_ != nullptr) trace_->operation(current_, ordering, value, age);
    return value;
  }

  void store(std::uint32_t atomic, std::uint64_t value, const Ordering& asked) {
    const Ordering ordering = begin(atomic, asked);
    memory_.store(current_, atomic, value, ordering.order);
    check_room();
    if (trace_ != nullptr) trace_->operation(current_, ordering, value, 0);
  }

  std::uint64_t begin_exchange(std::uint32_t atomic) {
    take_turn(atomic);
    return memory_.newest(atomic);
  }

  void end_exchange(std::uint32_t atomic, std::uint64_t value, const Ordering& asked) {
    const Ordering ordering = as_weakened(asked);
    memory_.exchange(current_, atomic, value, ordering.order);
    check_room();
    looked_at(atomic, 0);
    if (trace_ != nullptr) trace_->operation(current_, ordering, value, 0);
  }

  // An exchange that fails is a load, and may read an old store.
  bool compare_exchange(std::uint32_t atomic, std::uint64_t& expected, std::uint64_t desired, const Ordering& asked,
                        const Ordering& asked_of_failure) {
    take_turn(atomic);
    const bool may_succeed = memory_.newest(atomic) == expected;
    const Ordering failure = as_weakened(asked_of_failure);
    std::array<unsigned, 256> ages{};
    unsigned count = may_succeed ? 1 : 0;
    const unsigned visible = memory_.visible(current_, atomic, failure.order);
    for (unsigned age = 0; age != visible; ++age) {
      if (memory_.value(atomic, age) != expected) ages[count++] = age;
    }
    const unsigned chosen = choose_age(count);
    if (may_succeed && chosen == 0) {
      end_exchange(atomic, desired, asked);
      return true;
    }
    expected = memory_.load(current_, atomic, failure.order, ages[chosen]);
    looked_at(atomic, ages[chosen]);
    if (trace_ != nullptr) trace_->operation(current_, failure, expected, ages[chosen]);
    return false;
  }

  void fence(const Ordering& asked) {
    const Ordering ordering = as_weakened(asked);
    if (ordering.order == std::memory_order_relaxed) return;
    pass_turn();
    memory_.fence(current_, ordering.order);
    if (trace_ != nullptr) trace_->operation(current_, ordering, 0, 0);
  }

  void wait_for_change() {
    Thread& self = state_[current_];
    self.waits = true;
    if (trace_ != nullptr) trace_->remark(current_, "waits");
    pass_turn();
    self.waits = false;
    memory_.must_see(current_, self.last_atomic, self.last_store + 1);
    memory_.note(current_, self.last_store);
  }

  void plain_access(const void* address, std::size_t bytes, bool write) {
    switch (PlainMemory::access(address, bytes, write, current_, memory_.known_by(current_))) {
      case PlainMemory::Finding::fine:
        return;
      case PlainMemory::Finding::race:
        fail(write ? "a race: a plain write is not ordered after the accesses of another thread"
                   : "a race: a plain read is not ordered after the write of another thread");
      case PlainMemory::Finding::deleted:
        fail("an access to memory that was deleted");
    }
  }

  [[nodiscard]] unsigned current() const noexcept { return current_; }

  [[noreturn]] void fail(std::string what) {
    PlainMemory::set_open(false);
    if (trace_ != nullptr) trace_->remark(current_, "FAILED: " + what);
    report_.failure = std::move(what);
    leave();
  }

 private:
  struct Thread {
    bool runs = false;   // has begun and not ended
    bool waits = false;  // waits until last_atomic has a newer store than last_store
    std::uint32_t last_atomic = 0;
    unsigned last_store = 0;
  };
  struct Choice {
    enum class Of : std::uint8_t { thread, age };
    std::uint16_t count;
    std::uint16_t taken;
  };

  // ---- one execution ----

  void execute() {
    memory_.forget();
    PlainMemory::forget();
    state_ = {};
    made_ = 0;
    deviations_ = 0;
    operations_ = 0;
    body_ = nullptr;
    current_ = kMain;
    state_[kMain].runs = true;
    for (auto& fiber : fibers_) fiber->start([] { running->run_fiber(); });
    home_.switch_to(*fibers_[kMain]);
    PlainMemory::set_open(false);
    report_.operations += operations_;
  }

  void run_fiber() {
    PlainMemory::set_open(true);
    if (current_ != kMain) {
      body_->thread(current_ - 1);
      PlainMemory::set_open(false);
      state_[current_].runs = false;
      pass_turn();
    }
    body_ = make_();
    {
      const Outside outside;
      for (unsigned i = 1; i != threads_; ++i) {
        memory_.hand_over(kMain, i);
        state_[i].runs = true;
      }
      pass_turn();
      for (unsigned i = 1; i != threads_; ++i) memory_.hand_over(i, kMain);
    }
    body_->finish();
    delete body_;
    leave();
  }

  [[noreturn]] void leave() {
    PlainMemory::set_open(false);
    fibers_[current_]->switch_to(home_);
    std::abort();
  }

  // ---- decisions ----

  [[nodiscard]] bool can_run(unsigned thread) const {
    const Thread& state = state_[thread];
    if (thread == kMain) return std::none_of(&state_[1], &state_[threads_], [](const Thread& t) { return t.runs; });
    return state.runs && (!state.waits || memory_.stores(state.last_atomic) > state.last_store + 1);
  }

  // Decides which thread continues. Each thread returns from its own call, at once or when it gets its next turn.
  void pass_turn() {
    if (++operations_ == kOperationsMax) fail("no end: a thread repeats the same steps endlessly");
    std::array<unsigned, kThreadsMax> next{};
    unsigned count = 0;
    const bool goes_on = can_run(current_);
    if (goes_on) next[count++] = current_;
    const bool may_leave = !goes_on || deviations_ < options_.deviations;
    for (unsigned i = 0; i != threads_ && may_leave; ++i) {
      if (i != current_ && can_run(i)) next[count++] = i;
    }
    if (count == 0) fail("a deadlock: every thread that has not ended waits");
    const unsigned thread = next[choose(count, Choice::Of::thread)];
    if (thread == current_) return;
    if (goes_on) ++deviations_;
    if (trace_ != nullptr) trace_->turn(thread, goes_on);
    Fiber& left = *fibers_[current_];
    current_ = thread;
    left.switch_to(*fibers_[thread]);
  }

  // Chooses how old the value of a load is, among `count` ages.
  unsigned choose_age(unsigned count) {
    if (deviations_ == options_.deviations) return 0;
    const unsigned age = choose(count, Choice::Of::age);
    if (age != 0) ++deviations_;
    return age;
  }

  unsigned choose(unsigned count, Choice::Of what) {
    if (count == 1) return 0;
    if (made_ == path_.size()) {
      const std::uint64_t state = (memory_.state() * kThreadsMax + current_) * 2 + static_cast<std::uint64_t>(what);
      if (trace_ == nullptr && !visited_.enter(state, deviations_)) leave();
      path_.push_back({.count = static_cast<std::uint16_t>(count), .taken = 0});
    }
    const Choice& choice = path_[made_++];
    if (choice.count != count) fail("explorer error: an execution was not repeatable");
    return choice.taken;
  }

  // Advances to the next path in depth-first order. Returns false when all paths are done.
  bool next_path() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  // ---- around an operation ----

  Ordering begin(std::uint32_t atomic, const Ordering& asked) {
    const Ordering ordering = as_weakened(asked);
    take_turn(atomic);
    return ordering;
  }

  void take_turn(std::uint32_t atomic) {
    pass_turn();
    if (!memory_.alive(atomic)) fail("an access to an atomic that was destroyed");
  }

  Ordering as_weakened(const Ordering& asked) {
    if (options_.weakening && options_.weakening->ordering == asked) {
      return {.site = asked.site, .operation = asked.operation, .order = options_.weakening->weaker};
    }
    if (asked.order == std::memory_order_relaxed) return asked;
    auto& met = report_.orderings;
    const auto same = [&](const Ordering& other) {
      // Compares the line first, because most differ in it.
      return other.site.line == asked.site.line && other == asked;
    };
    if (std::none_of(met.begin(), met.end(), same)) met.push_back(asked);
    return asked;
  }

  void looked_at(std::uint32_t atomic, unsigned age) {
    state_[current_].last_atomic = atomic;
    state_[current_].last_store = memory_.stores(atomic) - 1 - age;
  }

  void check_room() {
    if (memory_.full()) fail("explorer error: more atomics, or more stores to one atomic, than it can record");
  }

  void write_trace() {
    Trace trace;
    trace_ = &trace;
    execute();
    trace_ = nullptr;
    report_.trace = trace.text();
  }

  const unsigned threads_;
  const MakeBody make_;
  const Options& options_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber home_;
  Memory memory_;
  Visited visited_;
  std::vector<Choice> path_;  // decisions from the start of the execution
  std::size_t made_ = 0;      // number of decisions of path_ made so far in this execution
  std::array<Thread, kThreadsMax> state_{};
  unsigned current_ = kMain;
  unsigned deviations_ = 0;
  std::uint64_t operations_ = 0;
  Body* body_ = nullptr;
  Trace* trace_ = nullptr;
  Report report_;
};

}  // namespace

Report explore(unsigned threads, MakeBody make, const Options& options) {
  if (threads >= kThreadsMax) std::abort();
  return Exploration(threads, make, options).run();
}

std::uint32_t create_atomic(std::uint64_t value) noexcept {
  const Outside outside;
  return running->create(value);
}
void destroy_atomic(std::uint32_t atomic) noexcept { running->destroy(atomic); }

std::uint64_t load_atomic(std::uint32_t atomic, std::memory_order order, const Site& site) noexcept {
  const Outside outside;
  return running->load(atomic, {.site = site, .operation = Operation::load, .order = order});
}

void store_atomic(std::uint32_t atomic, std::uint64_t value, std::memory_order order, const Site& site) noexcept {
  const Outside outside;
  running->store(atomic, value, {.site = site, .operation = Operation::store, .order = order});
}

std::uint64_t begin_exchange(std::uint32_t atomic) noexcept {
  const Outside outside;
  return running->begin_exchange(atomic);
}

void end_exchange(std::uint32_t atomic, std::uint64_t value, std::memory_order order, const Site& site) noexcept {
  const Outside outside;
  running->end_exchange(atomic, value, {.site = site, .operation = Operation::exchange, .order = order});
}

bool compare_exchange(std::uint32_t atomic, std::uint64_t& expected, std::uint64_t desired, std::memory_order order,
                      std::memory_order order_of_failure, const Site& site) noexcept {
  const Outside outside;
  return running->compare_exchange(atomic, expected, desired,
                                   {.site = site, .operation = Operation::exchange, .order = order},
                                   {.site = site, .operation = Operation::failed_exchange, .order = order_of_failure});
}

void full_fence(const Site& site) noexcept {
  const Outside outside;
  running->fence({.site = site, .operation = Operation::fence, .order = std::memory_order_seq_cst});
}

void wait_for_change() noexcept {
  const Outside outside;
  running->wait_for_change();
}

void plain_access(const void* address, std::size_t bytes, bool write) noexcept {
  const Outside outside;
  running->plain_access(address, bytes, write);
}

unsigned calling_thread() noexcept { return running->current(); }

void pause() noexcept { wait_for_change(); }

void require(bool fact, const char* what) noexcept {
  const Outside outside;
  if (!fact) running->fail(what);
}

}  // namespace volt::model

namespace volt::base {

void check_failed(const char* condition, const char* file, int line) noexcept {
  const model::Outside outside;
  model::running->fail(std::string(file) + ":" + std::to_string(line) + ": VOLT_CHECK(" + condition + ")");
}

void misused(const char* sentence, const char* file, int line) noexcept {
  const model::Outside outside;
  model::running->fail(std::string(file) + ":" + std::to_string(line) + ": VOLT_REQUIRE(" + sentence + ")");
}

}  // namespace volt::base
