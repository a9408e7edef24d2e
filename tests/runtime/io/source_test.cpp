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

// A source without a reactor: the test reports.
class Reported final : public Source {
 public:
  explicit Reported(bool* gone = nullptr) : Source(test::unix_pair().near.release()), gone_(gone) {}

  // Reports, and says whom that woke.
  std::vector<Completion*> wakes(std::uint32_t edges) {
    base::Chain<Completion> woken;
    report(edges, woken);
    std::vector<Completion*> all;
    while (Completion* completion = woken.pop_front()) all.push_back(completion);
    return all;
  }

 private:
  ~Reported() override {
    if (gone_ != nullptr) *gone_ = true;
  }

  bool* gone_;
};

struct DropReference {
  void operator()(Source* source) const noexcept { source->drop_reference(); }
};
using Owner = std::unique_ptr<Reported, DropReference>;

Owner make_source() { return Owner(new Reported); }

struct Report {
  std::string why;
  std::uint32_t edges;
  bool to_reader;  // it concerns this direction
  bool to_writer;
  bool ends_reading;  // and every later wait
  bool ends_writing;
};

const Report kReports[] = {
    {"nothing happened", kNothing, false, false, false, false},
    {"data", kReadable, true, false, false, false},
    {"room", kWritable, false, true, false, false},
    {"data and room", kReadable | kWritable, true, true, false, false},
    {"a FIN ends reading, also where it comes alone", kReadEnd, true, false, true, false},
    {"a FIN behind data", kReadEnd | kReadable, true, false, true, false},
    {"a FIN does not end writing, whose edge is only an edge", kReadEnd | kWritable, true, true, true, false},
    {"an error ends both and wakes both", kBroken, true, true, true, true},
    {"all at once", kReadable | kWritable | kReadEnd | kBroken, true, true, true, true},
};

}  // namespace

TEST_SUITE_BEGIN("runtime/io/source");

TEST_CASE("a report wakes who waits for it, once, and leaves the others waiting") {
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
    // An edge that was handed over is not kept as well; an end is.
    CHECK(source->try_consume(Direction::read) == ends_reading);
    CHECK(source->try_consume(Direction::write) == ends_writing);
  }
}

TEST_CASE("a report that finds nobody is kept for one wait, an end for all") {
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
        CHECK(waited->stop_wait(direction) == nullptr);  // it never waited
        CHECK(waited->start_wait(direction, waiter) == !ended);
      }
    }
  }
}

TEST_CASE("edges that nobody took are one edge") {
  const Owner source = make_source();
  for (int i = 0; i != 3; ++i) CHECK(source->wakes(kReadable).empty());
  CHECK(source->try_consume(Direction::read));
  CHECK_FALSE(source->try_consume(Direction::read));
}

TEST_CASE("a wait that was stopped is woken by nobody, and its edge is kept") {
  for (const Direction direction : {Direction::read, Direction::write}) {
    const Owner source = make_source();
    Completion waiter;
    CHECK(source->stop_wait(direction) == nullptr);  // nobody waits
    REQUIRE(source->start_wait(direction, waiter));
    CHECK(source->stop_wait(direction) == &waiter);
    CHECK(source->stop_wait(direction) == nullptr);
    CHECK(source->wakes(kReadable | kWritable).empty());
    CHECK(source->try_consume(direction));
  }
}

TEST_CASE("a source whose owner is gone wakes nobody and keeps nothing") {
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
  bool gone = false;
  const std::size_t before = test::open_descriptors();
  auto* source = new Reported(&gone);
  source->add_reference();
  source->drop_reference();
  CHECK_FALSE(gone);
  CHECK(test::open_descriptors() == before + 1);
  source->drop_reference();
  CHECK(gone);
  CHECK(test::open_descriptors() == before);
}

namespace {

// One thread has something to say `edges` times and reports it; another waits until it has heard of all. A third may
// stop its waits. Every wait that began has to be ended by exactly one of them, and the last edge has to be heard of.
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
    for (std::uint64_t i = 1; i <= edges_; ++i) {
      said_.store(i);
      if (i % 3 == 0) CHECK(source_->wakes(other).empty());  // the other direction's edges change the same word
      end_waits(source_->wakes(edge).size());
      if (i % 16 == 0) std::this_thread::yield();  // else one processor would never see the two meet
    }
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
    for (std::uint64_t heard = 0; heard != edges_; heard = said_.load()) {
      if (source_->try_consume(direction_)) continue;
      if (!source_->start_wait(direction_, waiter)) continue;
      ++waits_;
      while (ended_.load() != waits_) {
        REQUIRE(ended_.load() <= waits_);  // more: somebody was woken twice
        std::this_thread::yield();
      }
    }
    finished_.store(true);
  }

  const std::uint64_t edges_;
  const Direction direction_;
  const Owner source_ = make_source();
  std::uint64_t waits_ = 0;  // begun; the waiting thread's own
  base::Atomic<std::uint64_t> said_{0};
  base::Atomic<std::uint64_t> ended_{0};
  base::Atomic<bool> finished_{false};
};

}  // namespace

TEST_CASE("no edge is lost and none wakes twice, however reporting and waiting meet") {
  for (const Direction direction : {Direction::read, Direction::write}) {
    Race race(test::stress_rounds(300'000), direction);
    race.run(false);
    CHECK(race.waits() > 0);
  }
}

TEST_CASE("a wait that is stopped while its edge comes is ended by one of the two") {
  for (const Direction direction : {Direction::read, Direction::write}) {
    Race race(test::stress_rounds(300'000), direction);
    race.run(true);
    CHECK(race.waits() > 0);
  }
}

TEST_CASE("a hangup is told once, with a reference, besides whom it wakes") {
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
      {"an error is a full one", kBroken, true, true},
  };
  for (const auto& [why, edges, full, half] : cases) {
    for (const Hangup when : {Hangup::full, Hangup::half}) {
      CAPTURE(why);
      const Owner source = make_source();
      sched::TaskHeader* const task = reinterpret_cast<sched::TaskHeader*>(source.get());  // opaque here
      Completion reader;
      REQUIRE(source->start_wait(Direction::read, reader));
      REQUIRE(source->start_hangup_watch(*task, when));
      std::size_t told = 0;
      for (Completion* completion : source->wakes(edges)) {
        if (!completion->is_hangup) continue;
        ++told;
        CHECK(completion->task == task);
        CHECK(&static_cast<HangupNotice*>(completion)->source == source.get());
        source->drop_reference();
      }
      CHECK(told == ((when == Hangup::full ? full : half) ? 1 : 0));
      CHECK(source->stop_hangup_watch() == (told == 0));
      if (told != 0) CHECK(source->wakes(kBroken).empty());
      if (told != 0) CHECK(!source->start_hangup_watch(*task, when));
    }
  }
}

TEST_CASE("a watch that was stopped, or a source that closes, is told nothing") {
  const Owner source = make_source();
  sched::TaskHeader* const task = reinterpret_cast<sched::TaskHeader*>(source.get());  // opaque here
  REQUIRE(source->start_hangup_watch(*task, Hangup::half));
  CHECK(source->stop_hangup_watch());
  CHECK(!source->stop_hangup_watch());
  CHECK(source->wakes(kReadEnd).empty());
  CHECK(!source->start_hangup_watch(*task, Hangup::half));  // it has hung up by half already
  REQUIRE(source->start_hangup_watch(*task, Hangup::full));
  source->set_closing();
  CHECK(source->wakes(kBroken).empty());
  CHECK(source->stop_hangup_watch());
}

TEST_SUITE_END();

}  // namespace volt::io
