// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/fork.h"
#include "runtime/runtime.h"
#include "runtime/sched/random.h"
#include "runtime/spawn.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Lifetimes;
using test::stress_rounds;
using namespace std::chrono_literals;
using LifetimesRef = Borrowed<Lifetimes>;
using Count = Borrowed<base::Atomic<std::uint64_t>>;

constexpr std::uint32_t kWorkers = 2;
constexpr std::uint32_t kSpares = 4;
constexpr int kConnections = 8;

// How a handler spends its time. Each kind but `light` keeps its thread, or the threads of its children.
enum class Kind : std::uint8_t { light, computes, sleeps, blocks_in_place, locks, forks, all, pinned, timer };
constexpr std::uint32_t kKinds = 9;

void sleep_on_thread(std::chrono::nanoseconds duration) { std::this_thread::sleep_for(duration); }

Task<> compute(Lifetimes::Token, std::chrono::nanoseconds duration) {
  test::burn(duration);
  co_return;
}

Task<> sleep_a_while(std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

Task<> handle(LifetimesRef lifetimes, Borrowed<std::mutex> mutex, Kind kind, std::chrono::nanoseconds duration) {
  switch (kind) {
    case Kind::light:
      break;
    case Kind::computes:
      test::burn(duration);
      break;
    case Kind::sleeps:
      sleep_on_thread(duration);
      break;
    case Kind::blocks_in_place:
      block_in_place([&] { sleep_on_thread(duration); });
      break;
    case Kind::locks: {
      const std::scoped_lock lock(mutex.get());
      sleep_on_thread(duration / 4);
      break;
    }
    case Kind::forks:
      fork([&] { test::burn(duration / 2); }, [&] { sleep_on_thread(duration / 2); });
      break;
    case Kind::all: {
      auto computes = [&] { return compute(lifetimes.get().token(), duration / 2); };
      auto sleeps = [&] { return sleep_a_while(duration / 2); };
      co_await all(computes, sleeps);
      break;
    }
    case Kind::pinned: {
      auto child = spawn_local(compute, lifetimes.get().token(), duration / 2);
      co_await std::move(child);
      break;
    }
    case Kind::timer:
      co_await sleep_for(duration / 4);
      break;
  }
}

// Reads requests of three bytes: the kind, the duration in units of 100 us, and a number, which is the response.
Task<> serve(LifetimesRef lifetimes, Borrowed<std::mutex> mutex, int fd) {
  const auto token = lifetimes.get().token();
  TcpStream stream(fd);
  std::array<std::byte, 3> request{};
  for (;;) {
    for (std::size_t have = 0; have != request.size();) {
      const Result<std::size_t> count = co_await stream.read(std::span(request).subspan(have));
      if (!count || *count == 0) co_return;
      have += *count;
    }
    co_await handle(lifetimes, mutex, static_cast<Kind>(request[0]),
                    std::chrono::microseconds(100 * static_cast<int>(request[1])));
    const Result<void> sent = co_await stream.write_all(std::span(request).last(1));
    if (!sent) co_return;
  }
}

Task<> add_one(Lifetimes::Token, Count count) {
  count.get().fetch_add(1, base::relaxed);  // relaxed: a count
  co_return;
}

std::size_t spare_threads() {
  std::size_t count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name == "volt-spare") ++count;
  }
  return count;
}

RuntimeOptions options_with_spares(std::chrono::milliseconds idle_timeout) {
  RuntimeOptions options = test_options(kWorkers);
  options.spare_workers_max = kSpares;
  options.spare_idle_timeout = idle_timeout;
  return options;
}

// The clients of all connections, on one thread.
class Clients {
 public:
  Clients(Runtime& runtime, Lifetimes& lifetimes, std::mutex& mutex, std::uint32_t seed) : random_(seed) {
    for (int i = 0; i != kConnections; ++i) {
      test::Pair pair = i % 2 == 0 ? test::tcp_pair() : test::unix_pair();
      runtime.spawn(serve, borrow(lifetimes), borrow(mutex), pair.near.release()).detach();
      ends_.push_back(std::move(pair.far));
    }
  }

  // Sends a request on each connection; about `heavy` of ten are not light.
  void send(std::uint32_t heavy) {
    ++number_;
    for (const test::Descriptor& end : ends_) {
      const auto kind = random_.below(10) < heavy ? static_cast<Kind>(random_.below(kKinds)) : Kind::light;
      const std::uint32_t duration = random_.below(4) == 0 ? 80 : 10 + random_.below(30);
      const std::string request = {static_cast<char>(kind), static_cast<char>(duration), number_};
      wrong_ += test::send_all(end.get(), request) ? 0 : 1;
    }
  }
  void receive() {
    for (const test::Descriptor& end : ends_) {
      wrong_ += test::receive_exactly(end.get(), 1) == std::string(1, number_) ? 0 : 1;
    }
  }
  // Returns how many requests had another result than their response. Counts surplus responses, too.
  [[nodiscard]] std::uint64_t wrong() {
    for (const test::Descriptor& end : ends_) {
      int surplus = 0;
      wrong_ += ::ioctl(end.get(), FIONREAD, &surplus) == 0 && surplus == 0 ? 0 : 1;
    }
    return wrong_;
  }

 private:
  sched::Random random_;
  std::vector<test::Descriptor> ends_;
  char number_ = 0;
  std::uint64_t wrong_ = 0;
};

// Returns how many descriptors are open without those of the reactors of spares, two each. The least of some counts,
// because the watchdog opens files of /proc, and watches the streams of a blocked worker, for a moment.
std::size_t lasting_descriptors(const Runtime& runtime) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int i = 0; i != 20; ++i) {
    const std::size_t of_spares = 2 * runtime.metrics().spares.size();
    least = std::min(least, test::open_descriptors() - of_spares);
    std::this_thread::sleep_for(1ms);
  }
  return least;
}

}  // namespace

TEST_SUITE_BEGIN("stress/spare_stress");

TEST_CASE("storms of stuck handlers: each request is answered once, and the threads of spares end") {
  for (const auto idle_timeout : {0ms, 5ms, 40ms}) {
    Lifetimes lifetimes;
    std::mutex mutex;
    base::Atomic<std::uint64_t> ran{0};
    std::uint64_t spawned = 0;
    {
      Runtime runtime(options_with_spares(idle_timeout));
      sched::Random random(static_cast<std::uint32_t>(idle_timeout.count()) + 1);
      Clients clients(runtime, lifetimes, mutex, random.below(1000));
      clients.send(0);
      clients.receive();
      const std::size_t descriptors = lasting_descriptors(runtime);
      const std::uint64_t storms = stress_rounds(6);
      std::uint64_t storm = 0;
      for (; storm < storms || runtime.metrics().spare_activations == 0; ++storm) {
        for (std::uint32_t round = 0; round != 4; ++round) {
          clients.send(7);
          const std::uint32_t tasks = random.below(5);
          for (std::uint32_t i = 0; i != tasks; ++i) {
            runtime.spawn(add_one, lifetimes.token(), borrow(ran)).detach();
          }
          spawned += tasks;
          clients.receive();
        }
        // The spares leave about 100 ms after all workers were stuck last; the next storm comes in that moment.
        std::this_thread::sleep_for(std::chrono::milliseconds(95 + random.below(20)) + random.below(2) * idle_timeout);
      }
      CHECK(clients.wrong() == 0);
      CHECK(test::eventually([&] { return ran.load(base::relaxed) == spawned; }));  // relaxed: a count
      CHECK(test::eventually([] { return spare_threads() == 0; }));
      const RuntimeMetrics metrics = runtime.metrics();
      std::uint32_t at_spares = 0;
      for (const WorkerMetrics& spare : metrics.spares) at_spares += spare.descriptors;
      CHECK(at_spares == 0);
      CHECK(test::eventually([&] { return lasting_descriptors(runtime) <= descriptors; }));
      MESSAGE("idle timeout " << idle_timeout.count() << " ms: " << storm << " storms, " << metrics.spare_activations
                              << " activations, " << metrics.spares.size() << " spares, " << metrics.total().rescues
                              << " rescues");
    }
    CHECK(lifetimes.made() == lifetimes.ended());
  }
}

TEST_CASE("a runtime ends in the middle of a storm: every task is destroyed once, and nothing is left behind") {
  Lifetimes lifetimes;
  sched::Random random(11);
  const std::size_t descriptors = test::open_descriptors();
  const std::uint64_t rounds = stress_rounds(60);
  std::uint64_t activations = 0;
  for (std::uint64_t round = 0; round != rounds; ++round) {
    std::mutex mutex;
    Runtime runtime(options_with_spares(std::chrono::milliseconds(random.below(3))));
    Clients clients(runtime, lifetimes, mutex, static_cast<std::uint32_t>(round));
    clients.send(9);
    if (random.below(2) == 0) clients.receive();
    clients.send(9);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(12'000)));
    activations += runtime.metrics().spare_activations;
  }
  MESSAGE(rounds << " rounds, " << activations << " activations");
  CHECK(test::eventually([] { return spare_threads() == 0; }));  // a joined thread may be listed for a moment
  CHECK(test::open_descriptors() == descriptors);
  CHECK(lifetimes.made() == lifetimes.ended());
}

TEST_SUITE_END();

}  // namespace volt
