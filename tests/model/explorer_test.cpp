// SPDX-License-Identifier: MIT

// Tests of the behaviors that the explorer must and must not produce: the litmus tests that distinguish memory models.
#include "tests/model/explorer/explorer.h"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "tests/model/explorer/plain_memory.h"

namespace volt::model {
namespace {

using base::acq_rel;
using base::acquire;
using base::relaxed;
using base::release;
using base::seq_cst;
using Word = base::Atomic<std::uint64_t>;

// The values that the threads of a litmus test read, such as "10"; collected over all executions.
std::set<std::string> outcomes;

class Litmus : public Body {
 public:
  void finish() override {
    const Outside outside;
    std::string outcome;
    for (const std::uint64_t value : read_) outcome += static_cast<char>('0' + value);
    outcomes.insert(outcome.substr(0, reads_));
  }

 protected:
  explicit Litmus(unsigned reads) : reads_(reads) {}
  Word x_{0};
  Word y_{0};
  std::array<std::uint64_t, 4> read_{};

 private:
  const unsigned reads_;
};

template <class Test>
std::set<std::string> outcomes_of() {
  outcomes.clear();
  const Report report = explore<Test>({.deviations = 20});
  CAPTURE(report.failure);
  CAPTURE(report.trace);
  CHECK(report.complete);
  return std::exchange(outcomes, {});
}

using Outcomes = std::set<std::string>;

template <std::memory_order kStore, std::memory_order kLoad>
class MessagePassing final : public Litmus {
 public:
  static constexpr unsigned kThreads = 2;
  MessagePassing() : Litmus(2) {}
  void thread(unsigned index) override {
    if (index == 0) {
      x_.store(1, relaxed);
      y_.store(1, kStore);
    } else {
      read_[0] = y_.load(kLoad);
      read_[1] = x_.load(relaxed);
    }
  }
};

enum class Between : std::uint8_t { nothing, fence };

template <std::memory_order kStore, std::memory_order kLoad, Between kBetween>
class StoreBuffering final : public Litmus {
 public:
  static constexpr unsigned kThreads = 2;
  StoreBuffering() : Litmus(2) {}
  void thread(unsigned index) override {
    (index == 0 ? x_ : y_).store(1, kStore);
    if (kBetween == Between::fence) base::RealAtomics::full_fence(fence_);
    read_[index] = (index == 0 ? y_ : x_).load(kLoad);
  }

 private:
  Word fence_{0};
};

// One thread writes x, another y: two readers may or may not see the writes in the same order.
template <std::memory_order kLoad, Between kBetween>
class IndependentReads final : public Litmus {
 public:
  static constexpr unsigned kThreads = 4;
  IndependentReads() : Litmus(4) {}
  void thread(unsigned index) override {
    if (index == 0) x_.store(1, kLoad == seq_cst ? seq_cst : release);
    if (index == 1) y_.store(1, kLoad == seq_cst ? seq_cst : release);
    if (index < 2) return;
    Word& first = index == 2 ? x_ : y_;
    Word& second = index == 2 ? y_ : x_;
    read_[(index - 2) * 2] = first.load(kLoad);
    if (kBetween == Between::fence) base::RealAtomics::full_fence(fence_);
    read_[(index - 2) * 2 + 1] = second.load(kLoad);
  }

 private:
  Word fence_{0};
};

class Coherence final : public Litmus {
 public:
  static constexpr unsigned kThreads = 2;
  Coherence() : Litmus(2) {}
  void thread(unsigned index) override {
    if (index == 0) {
      x_.store(1, relaxed);
      x_.store(2, relaxed);
    } else {
      read_[0] = x_.load(relaxed);
      read_[1] = x_.load(relaxed);
    }
  }
};

// A relaxed read-modify-write between a release and an acquire passes on the released knowledge; a store does not.
template <bool kExchange>
class ReleaseSequence final : public Litmus {
 public:
  static constexpr unsigned kThreads = 3;
  ReleaseSequence() : Litmus(2) {}
  void thread(unsigned index) override {
    if (index == 0) {
      x_.store(1, relaxed);
      y_.store(1, release);
    } else if (index == 1) {
      std::uint64_t one = 1;
      if (kExchange) static_cast<void>(y_.compare_exchange_strong(one, 2, relaxed, relaxed));
      if (!kExchange && y_.load(relaxed) == 1) y_.store(2, relaxed);
    } else {
      read_[0] = y_.load(acquire);
      read_[1] = x_.load(relaxed);
    }
  }
};

class Increments final : public Litmus {
 public:
  static constexpr unsigned kThreads = 3;
  Increments() : Litmus(1) {}
  void thread(unsigned) override { x_.fetch_add(1, relaxed); }
  void finish() override {
    read_[0] = x_.load(relaxed);
    Litmus::finish();
  }
};

// A message on the heap that is not atomic.
template <std::memory_order kStore, std::memory_order kLoad>
class PlainMessage final : public Body {
 public:
  static constexpr unsigned kThreads = 2;
  void thread(unsigned index) override {
    if (index == 0) {
      message_ = 7;
      sent_.store(true, kStore);
    } else if (sent_.load(kLoad)) {
      require(message_ == 7, "the message is there");
    }
  }

 private:
  int message_ = 0;
  base::Atomic<bool> sent_{false};
};

class Deletion final : public Body {
 public:
  static constexpr unsigned kThreads = 2;
  void thread(unsigned index) override {
    if (index == 0) {
      deleting_.store(true, release);
      message_.reset();
    } else if (!deleting_.load(acquire)) {
      require(*message_ == 7, "the message is there");
    }
  }

 private:
  std::unique_ptr<int> message_ = std::make_unique<int>(7);
  base::Atomic<bool> deleting_{false};
};

class Embrace final : public Body {
 public:
  static constexpr unsigned kThreads = 2;
  void thread(unsigned index) override {
    lock(locks_[index]);
    lock(locks_[1 - index]);
    locks_[0].store(false, release);
    locks_[1].store(false, release);
  }

 private:
  static void lock(base::Atomic<bool>& held) {
    while (held.exchange(true, acquire)) base::spin_pause();
  }
  std::array<base::Atomic<bool>, 2> locks_{};
};

class Endless final : public Body {
 public:
  static constexpr unsigned kThreads = 1;
  void thread(unsigned) override {
    while (!over_.load(relaxed)) {
    }
  }

 private:
  base::Atomic<bool> over_{false};
};

}  // namespace

TEST_SUITE_BEGIN("model/explorer");

TEST_CASE("a message is passed by release and acquire, and by no weaker orderings") {
  const Outcomes passed = {"00", "01", "11"};
  const Outcomes lost = {"00", "01", "10", "11"};
  CHECK(outcomes_of<MessagePassing<release, acquire>>() == passed);
  CHECK(outcomes_of<MessagePassing<relaxed, acquire>>() == lost);
  CHECK(outcomes_of<MessagePassing<release, relaxed>>() == lost);
}

TEST_CASE("store buffering is visible with every ordering but seq_cst") {
  const Outcomes buffered = {"00", "01", "10", "11"};
  const Outcomes ordered = {"01", "10", "11"};
  CHECK(outcomes_of<StoreBuffering<release, acquire, Between::nothing>>() == buffered);
  CHECK(outcomes_of<StoreBuffering<release, seq_cst, Between::nothing>>() == buffered);
  CHECK(outcomes_of<StoreBuffering<seq_cst, acquire, Between::nothing>>() == buffered);
  CHECK(outcomes_of<StoreBuffering<seq_cst, seq_cst, Between::nothing>>() == ordered);
  CHECK(outcomes_of<StoreBuffering<relaxed, relaxed, Between::fence>>() == ordered);
}

TEST_CASE("two readers may disagree on the order of independent stores, except with seq_cst") {
  CHECK(outcomes_of<IndependentReads<acquire, Between::nothing>>().contains("1010"));
  CHECK_FALSE(outcomes_of<IndependentReads<seq_cst, Between::nothing>>().contains("1010"));
  CHECK_FALSE(outcomes_of<IndependentReads<acquire, Between::fence>>().contains("1010"));
}

TEST_CASE("the stores of one atomic are seen in order") {
  CHECK(outcomes_of<Coherence>() == Outcomes{"00", "01", "02", "11", "12", "22"});
}

TEST_CASE("a release sequence continues through read-modify-writes only") {
  CHECK_FALSE(outcomes_of<ReleaseSequence<true>>().contains("20"));
  CHECK(outcomes_of<ReleaseSequence<false>>().contains("20"));
}

TEST_CASE("no increment is lost") { CHECK(outcomes_of<Increments>() == Outcomes{"3"}); }

TEST_CASE("a plain message must be ordered") {
  CHECK(explore<PlainMessage<release, acquire>>().complete);
  CHECK(explore<PlainMessage<relaxed, acquire>>().failure.starts_with("a race"));
  CHECK(explore<PlainMessage<release, relaxed>>().failure.starts_with("a race"));
}

TEST_CASE("an access to deleted memory is found") {
  const Report report = explore<Deletion>();
  CHECK_FALSE(report.complete);
  CHECK(report.failure != "");
}

TEST_CASE("a deadlock is found with one preemption, and its trace shows each step") {
  CHECK(explore<Embrace>({.deviations = 0}).complete);
  const Report report = explore<Embrace>({.deviations = 1});
  CHECK(report.failure.starts_with("a deadlock"));
  CHECK(report.trace.find("while (held.exchange(true, acquire)) base::spin_pause();") != std::string::npos);
}

TEST_CASE("an endless thread is found") { CHECK(explore<Endless>().failure.starts_with("no end")); }

TEST_SUITE_END();

}  // namespace volt::model
