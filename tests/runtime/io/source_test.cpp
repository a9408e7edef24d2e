// SPDX-License-Identifier: MIT

#include "runtime/io/source.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"

namespace volt::io {
namespace {

constexpr std::uint32_t kNothing = 0;
constexpr std::uint32_t kReadable = Source::kReadable;
constexpr std::uint32_t kWritable = Source::kWritable;
constexpr std::uint32_t kReadEnd = Source::kReadEnd;
constexpr std::uint32_t kBroken = Source::kBroken;

// A source without a reactor: the test reports its events.
class Reported final : public Source {
 public:
  explicit Reported(bool* destroyed = nullptr) : Source(test::unix_pair().near.release()), destroyed_(destroyed) {}

  // Reports `edges` and returns the completions that this wakes.
  std::vector<Completion*> wakes(std::uint32_t edges) {
    base::Chain<Completion> woken;
    report(edges, woken);
    std::vector<Completion*> all;
    while (Completion* completion = woken.pop_front()) all.push_back(completion);
    return all;
  }

 private:
  ~Reported() override {
    if (destroyed_ != nullptr) *destroyed_ = true;
  }

  bool* destroyed_;
};

struct DropReference {
  void operator()(Source* source) const noexcept { source->drop_reference(); }
};
using Owner = std::unique_ptr<Reported, DropReference>;

Owner make_source() { return Owner(new Reported); }

struct Report {
  std::string why;
  std::uint32_t edges;
  bool to_reader;  // whether it concerns this direction
  bool to_writer;
  bool ends_reading;  // and so every later wait for reading
  bool ends_writing;
};

const Report kReports[] = {
    {"nothing happened", kNothing, false, false, false, false},
    {"data", kReadable, true, false, false, false},
    {"room", kWritable, false, true, false, false},
    {"data and room", kReadable | kWritable, true, true, false, false},
    {"a FIN ends reading, even if it comes alone", kReadEnd, true, false, true, false},
    {"a FIN after data", kReadEnd | kReadable, true, false, true, false},
    {"a FIN does not end writing; an edge for writing is only an edge", kReadEnd | kWritable, true, true, true, false},
    {"an error ends both directions and wakes both waiters", kBroken, true, true, true, true},
    {"all events at once", kReadable | kWritable | kReadEnd | kBroken, true, true, true, true},
};

}  // namespace

TEST_SUITE_BEGIN("runtime/io/source");

TEST_CASE("a report wakes the waiting tasks it concerns once, and leaves the others waiting") {
  for (const auto& [why, edges, to_reader, to_writer, ends_reading, ends_writing] : kReports) {
    CAPTURE(why);
    const Owner source = make_source();
    Completion reader;
    Completion writer;
    REQUIRE(source->start_wait(Direction::read, reader));
    REQUIRE(source->start_wait(Direction::write, writer));
    std::vector<Completion*> expected;
    if (to_reader) expected.push_back(&reader);
    if (to_writer) expected.push_back(&writer);
    CHECK(source->wakes(edges) == expected);
    CHECK(source->ended(Direction::read) == ends_reading);
    CHECK(source->ended(Direction::write) == ends_writing);
    CHECK(source->stop_wait(Direction::read) == (to_reader ? nullptr : &reader));
    CHECK(source->stop_wait(Direction::write) == (to_writer ? nullptr : &writer));
    // An edge that woke a waiter is not kept as well; an end is kept.
    CHECK(source->try_consume(Direction::read) == ends_reading);
    CHECK(source->try_consume(Direction::write) == ends_writing);
  }
}

TEST_CASE("a report without a waiter is kept for one wait, an end for all later waits") {
  for (const auto& [why, edges, to_reader, to_writer, ends_reading, ends_writing] : kReports) {
    CAPTURE(why);
    const struct {
      Direction direction;
      bool concerned;
      bool ended;
    } sides[] = {{Direction::read, to_reader, ends_reading}, {Direction::write, to_writer, ends_writing}};
    for (const auto& [direction, concerned, ended] : sides) {
      CAPTURE(direction == Direction::read);
      Completion waiter;

      const Owner consumed = make_source();
      CHECK(consumed->wakes(edges).empty());
      CHECK(consumed->try_consume(direction) == concerned);
      CHECK(consumed->try_consume(direction) == ended);

      const Owner waited = make_source();
      CHECK(waited->wakes(edges).empty());
      CHECK(waited->start_wait(direction, waiter) == !concerned);
      if (concerned) {
        CHECK(waited->stop_wait(direction) == nullptr);  // the wait did not begin
        CHECK(waited->start_wait(direction, waiter) == !ended);
      }
    }
  }
}

TEST_CASE("several unconsumed edges count as one") {
  const Owner source = make_source();
  for (int i = 0; i != 3; ++i) CHECK(source->wakes(kReadable).empty());
  CHECK(source->try_consume(Direction::read));
  CHECK_FALSE(source->try_consume(Direction::read));
}

TEST_CASE("a stopped wait is not woken, and its edge is kept") {
  for (const Direction direction : {Direction::read, Direction::write}) {
    const Owner source = make_source();
    Completion waiter;
    CHECK(source->stop_wait(direction) == nullptr);  // no task waits
    REQUIRE(source->start_wait(direction, waiter));
    CHECK(source->stop_wait(direction) == &waiter);
    CHECK(source->stop_wait(direction) == nullptr);
    CHECK(source->wakes(kReadable | kWritable).empty());
    CHECK(source->try_consume(direction));
  }
}

TEST_CASE("a source whose owner has closed it wakes no task and keeps no edge") {
  for (const Report& report : kReports) {
    CAPTURE(report.why);
    const Owner source = make_source();
    CHECK_FALSE(source->closing());
    source->set_closing();
    CHECK(source->closing());
    CHECK(source->wakes(report.edges).empty());
    CHECK_FALSE(source->try_consume(Direction::read));
    CHECK_FALSE(source->try_consume(Direction::write));
    CHECK_FALSE(source->ended(Direction::read));
  }
}

TEST_CASE("the last reference closes the descriptor") {
  bool destroyed = false;
  const std::size_t before = test::open_descriptors();
  auto* source = new Reported(&destroyed);
  source->add_reference();
  source->drop_reference();
  CHECK_FALSE(destroyed);
  CHECK(test::open_descriptors() == before + 1);
  source->drop_reference();
  CHECK(destroyed);
  CHECK(test::open_descriptors() == before);
}

namespace {

// One thread reports `edges` edges, each after it has published a new value; another thread waits until it has seen all
// values. A third thread may stop its waits. Every wait that began must be ended by exactly one of the threads, and the
// last edge must be seen.
class Race {
 public:
  explicit Race(std::uint64_t edges, Direction direction) : edges_(edges), direction_(direction) {}

  void run(bool with_stopper) {
    std::thread reporter([this] { report_all(); });
    std::thread stopper;
    if (with_stopper) stopper = std::thread([this] { stop_waits(); });
    wait_for_all();
    reporter.join();
    if (stopper.joinable()) stopper.join();
    CHECK(ended_.load() == waits_);
    CHECK(source_->stop_wait(direction_) == nullptr);
  }

  [[nodiscard]] std::uint64_t waits() const noexcept { return waits_; }

 private:
  void report_all() {
    const std::uint32_t edge = direction_ == Direction::read ? kReadable : kWritable;
    const std::uint32_t other = direction_ == Direction::read ? kWritable : kReadable;
    test::TimedRounds rounds(edges_.load());
    for (std::uint64_t i = 1; rounds.next(); ++i) {
      published_.store(i);
      if (i % 3 == 0) CHECK(source_->wakes(other).empty());  // edges of the other direction change the same word
      end_waits(source_->wakes(edge).size());
      if (i % 16 == 0) std::this_thread::yield();  // otherwise the two threads would never meet on a single processor
    }
    edges_.store(rounds.begun() + 1);  // before the last edge, which ends the waits
    published_.store(rounds.begun() + 1);
    end_waits(source_->wakes(edge).size());
  }

  void stop_waits() {
    while (!finished_.load()) {
      end_waits(source_->stop_wait(direction_) != nullptr ? 1 : 0);
      std::this_thread::yield();
    }
  }

  void end_waits(std::uint64_t count) {
    if (count != 0) ended_.fetch_add(count);
  }

  void wait_for_all() {
    Completion waiter;
    for (std::uint64_t seen = 0; seen != edges_.load(); seen = published_.load()) {
      if (source_->try_consume(direction_)) continue;
      if (!source_->start_wait(direction_, waiter)) continue;
      ++waits_;
      while (ended_.load() != waits_) {
        REQUIRE(ended_.load() <= waits_);  // otherwise a wait was ended twice
        std::this_thread::yield();
      }
    }
    finished_.store(true);
  }

  base::Atomic<std::uint64_t> edges_;  // the reporter corrects it if its time ends
  const Direction direction_;
  const Owner source_ = make_source();
  std::uint64_t waits_ = 0;  // waits begun; belongs to the waiting thread
  base::Atomic<std::uint64_t> published_{0};
  base::Atomic<std::uint64_t> ended_{0};
  base::Atomic<bool> finished_{false};
};

// Returns whether a race had a wait. The reporter may be done before the other thread runs, which is then repeated.
bool races_until_it_waits(Direction direction, bool with_stopper) {
  for (int i = 0; i != 20; ++i) {
    Race race(test::stress_rounds(300'000), direction);
    race.run(with_stopper);
    if (race.waits() > 0) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("no edge is lost and none wakes twice, however reports and waits interleave") {
  for (const Direction direction : {Direction::read, Direction::write}) {
    CHECK(races_until_it_waits(direction, false));
  }
}

TEST_CASE("a wait that is stopped while its edge comes is ended by exactly one of the two") {
  for (const Direction direction : {Direction::read, Direction::write}) {
    CHECK(races_until_it_waits(direction, true));
  }
}

TEST_CASE("a hangup is reported once, with a reference, in addition to the waiters that it wakes") {
  struct Case {
    std::string why;
    std::uint32_t edges;
    bool full;
    bool half;
  };
  const Case cases[] = {
      {"nothing happened", kNothing, false, false},
      {"data and room", kReadable | kWritable, false, false},
      {"a FIN is half a hangup", kReadEnd, false, true},
      {"an error is a full hangup", kBroken, true, true},
  };
  for (const auto& [why, edges, full, half] : cases) {
    for (const Hangup when : {Hangup::full, Hangup::half}) {
      CAPTURE(why);
      const Owner source = make_source();
      sched::TaskHeader* const task = reinterpret_cast<sched::TaskHeader*>(source.get());  // opaque in this test
      Completion reader;
      REQUIRE(source->start_wait(Direction::read, reader));
      REQUIRE(source->start_hangup_watch(*task, when));
      std::size_t notices = 0;
      for (Completion* completion : source->wakes(edges)) {
        if (!completion->is_hangup) continue;
        ++notices;
        CHECK(completion->task == task);
        CHECK(&static_cast<HangupNotice*>(completion)->source == source.get());
        source->drop_reference();
      }
      CHECK(notices == ((when == Hangup::full ? full : half) ? 1 : 0));
      CHECK(source->stop_hangup_watch() == (notices == 0));
      if (notices != 0) CHECK(source->wakes(kBroken).empty());
      if (notices != 0) CHECK(!source->start_hangup_watch(*task, when));
    }
  }
}

TEST_CASE("a watch that was stopped, or whose source is closing, is not notified") {
  const Owner source = make_source();
  sched::TaskHeader* const task = reinterpret_cast<sched::TaskHeader*>(source.get());  // opaque in this test
  REQUIRE(source->start_hangup_watch(*task, Hangup::half));
  CHECK(source->stop_hangup_watch());
  CHECK(!source->stop_hangup_watch());
  CHECK(source->wakes(kReadEnd).empty());
  CHECK(!source->start_hangup_watch(*task, Hangup::half));  // half a hangup was reported already
  REQUIRE(source->start_hangup_watch(*task, Hangup::full));
  source->set_closing();
  CHECK(source->wakes(kBroken).empty());
  CHECK(source->stop_hangup_watch());
}

TEST_SUITE_END();

}  // namespace volt::io
