// SPDX-License-Identifier: MIT

#include "runtime/sched/rescue_signal.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/log.h"
#include "runtime/runtime.h"
#include "runtime/sched/clock.h"
#include "runtime/tcp.h"
#include "runtime/work_class.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

RuntimeOptions options_with_spares() {
  RuntimeOptions options = test_options(2);
  options.spare_workers_max = 4;
  return options;
}

base::Atomic<int> g_own_signals{0};

void count_signal(int) { g_own_signals.fetch_add(1, base::seq_cst); }

// Restores the handler of a signal.
class KeptAction {
 public:
  explicit KeptAction(int number) : number_(number) { ::sigaction(number, nullptr, &kept_); }
  ~KeptAction() { ::sigaction(number_, &kept_, nullptr); }

 private:
  const int number_;
  struct sigaction kept_{};
};

Task<> echo(std::shared_ptr<test::Pair> pair) {
  TcpStream stream(pair->near.release());
  std::byte byte{};
  for (;;) {
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    if (!count || *count == 0) co_return;
    if (!co_await stream.write_all({&byte, 1})) co_return;
  }
}

// Tasks that occupy a thread each, again and again, until the object ends.
class Occupied {
 public:
  template <class F>
  Occupied(Runtime& runtime, std::uint32_t count, F occupy) {
    for (std::uint32_t i = 0; i != count; ++i) {
      runtime
          .spawn_on(
              i,
              [](std::shared_ptr<base::Atomic<bool>> over, F work, WorkClass light) -> Task<> {
                if (begin_work(light)) co_await yield();
                while (!over->load(base::seq_cst)) work();
              },
              over_, occupy, WorkClass::make(WorkClass::Weight::light))
          .detach();
    }
  }
  ~Occupied() { over_->store(true, base::seq_cst); }

 private:
  std::shared_ptr<base::Atomic<bool>> over_ = std::make_shared<base::Atomic<bool>>(false);
};

// Connections that are served by a runtime, seen from the client.
class Clients {
 public:
  Clients(Runtime& runtime, int count) {
    for (int i = 0; i != count; ++i) {
      pairs_.push_back(std::make_shared<test::Pair>(test::unix_pair()));
      runtime.spawn_on(static_cast<std::uint32_t>(i), echo, pairs_.back()).detach();
    }
    static_cast<void>(slowest_round_trip());  // now all wait
  }
  std::chrono::nanoseconds slowest_round_trip() { return std::ranges::max(round_trips()); }
  // Returns the duration of one round trip of each connection, one after the other.
  std::vector<std::chrono::nanoseconds> round_trips() {
    std::vector<std::chrono::nanoseconds> round_trips;
    for (const auto& pair : pairs_) {
      const std::int64_t began_ns = sched::now_ns();
      REQUIRE(test::send_all(pair->far.get(), "x"));
      REQUIRE(test::receive_exactly(pair->far.get(), 1) == "x");
      round_trips.emplace_back(sched::now_ns() - began_ns);
    }
    return round_trips;
  }

 private:
  std::vector<std::shared_ptr<test::Pair>> pairs_;
};

double percentile_ms(std::vector<std::chrono::nanoseconds>& durations, std::size_t percent) {
  const auto at = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) * percent / 100);
  std::ranges::nth_element(durations, at);
  return std::chrono::duration<double, std::milli>(*at).count();
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/rescue_signal");

// Prints the latency of the other tasks. tests/README.md has the command for both engines. A call fails if it begins
// just between the look at its thread and the signal (docs/scheduler.md).
TEST_CASE("few system calls of tasks that block fail with EINTR, and other tasks do not wait for them") {
  struct Call {
    const char* name;
    int (*make)();
    double failing_share_max;
  };
  const Call calls[] = {
      {"nanosleep",
       [] {
         const timespec duration{.tv_sec = 0, .tv_nsec = 200'000'000};
         return ::nanosleep(&duration, nullptr);
       },
       0.1},
      {"poll", [] { return ::poll(nullptr, 0, 200); }, 0.1},
      {"poll after a computation",
       [] {
         test::burn(4ms);  // the thread is found to compute, and gets signals all the time
         return ::poll(nullptr, 0, 200);
       },
       0.5},
  };
  for (const auto& [name, make, failing_share_max] : calls) {
    CAPTURE(name);
    Runtime runtime(options_with_spares());
    Clients clients(runtime, 8);
    const auto failed = std::make_shared<base::Atomic<int>>(0);
    const auto made = std::make_shared<base::Atomic<int>>(0);
    {
      const Occupied occupied(runtime, 2, [failed, made, call = make] {
        if (call() != 0) failed->fetch_add(1, base::seq_cst);
        made->fetch_add(1, base::seq_cst);
      });
      std::vector<std::chrono::nanoseconds> slowest;
      std::vector<std::chrono::nanoseconds> all;
      constexpr int kRoundsMax = 40'000;
      for (int round = 0; round != kRoundsMax && (round < 40 || made->load(base::seq_cst) < 20); ++round) {
        const std::vector<std::chrono::nanoseconds> round_trips = clients.round_trips();
        slowest.push_back(std::ranges::max(round_trips));
        all.insert(all.end(), round_trips.begin(), round_trips.end());
      }
      CHECK(percentile_ms(slowest, 50) < 100);  // most rounds do not wait for a call of 200 ms
      CHECK(eventually([&] { return made->load(base::seq_cst) >= 10; }));
      const double p50_ms = percentile_ms(all, 50);
      const double p99_ms = percentile_ms(all, 99);
      MESSAGE(std::string(name) << ": " << made->load(base::seq_cst) << " calls, " << failed->load(base::seq_cst)
                                << " failed; round trips beside them: p50 " << p50_ms << " ms, p99 " << p99_ms
                                << " ms");
    }
    CHECK(failed->load(base::seq_cst) <= failing_share_max * made->load(base::seq_cst));
  }
}

TEST_CASE("a program's own handler gets its signals and no others, and is restored") {
  const KeptAction kept(SIGURG);
  struct sigaction own{};
  own.sa_handler = count_signal;
  ::sigaction(SIGURG, &own, nullptr);
  g_own_signals.store(0, base::seq_cst);
  {
    Runtime runtime(options_with_spares());
    Clients clients(runtime, 4);
    const Occupied occupied(runtime, 2, [] { test::burn(1ms); });
    for (int round = 0; round != 10; ++round) static_cast<void>(clients.slowest_round_trip());
    CHECK(g_own_signals.load(base::seq_cst) == 0);
    ::raise(SIGURG);
    CHECK(g_own_signals.load(base::seq_cst) == 1);
  }
  struct sigaction now{};
  ::sigaction(SIGURG, nullptr, &now);
  const bool restored = now.sa_handler == count_signal;
  CHECK(restored);
}

TEST_CASE("two runtimes share the signal, and the last one that ends restores the action") {
  const KeptAction kept(SIGUSR2);
  ::signal(SIGUSR2, SIG_IGN);
  RuntimeOptions options = test_options(2);
  options.rescue_signal = SIGUSR2;
  auto first = std::make_unique<Runtime>(options);
  const Runtime second(options);
  first.reset();
  ::raise(SIGUSR2);
  struct sigaction now{};
  ::sigaction(SIGUSR2, nullptr, &now);
  const bool still_ours = now.sa_handler != SIG_IGN;
  CHECK(still_ours);
}

TEST_CASE("a program that blocks the signal before it makes the runtime does not disturb the rescue") {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGURG);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  std::string logged;
  {
    RuntimeOptions options = options_with_spares();
    const auto sink = [&](std::string_view lines) { logged += lines; };
    options.log = std::make_shared<Log>(LogOptions{.flush_timeout = 60s, .sink = sink});
    Runtime runtime(options);
    options.log.reset();
    Clients clients(runtime, 4);
    const Occupied occupied(runtime, 2, [] { test::burn(1ms); });
    // A round trip fails after 20 seconds. No worker becomes free before the last one has ended.
    for (int round = 0; round != 5; ++round) static_cast<void>(clients.slowest_round_trip());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK_FALSE(logged.contains("the thread blocks signal"));  // the watchdog looks for it when signals have no effect
}

TEST_CASE("if the program replaces the handler, the log says so") {
  if (test_options().io != IoEngine::uring) return;  // epoll needs no signal
  const KeptAction kept(SIGURG);
  std::mutex mutex;
  std::string logged;
  RuntimeOptions options = options_with_spares();
  const auto sink = [&](std::string_view lines) {
    const std::scoped_lock lock(mutex);
    logged += lines;
  };
  options.log = std::make_shared<Log>(LogOptions{.flush_timeout = 60s, .sink = sink});
  Runtime runtime(options);
  options.log.reset();
  Clients clients(runtime, 4);
  ::signal(SIGURG, SIG_IGN);
  const Occupied occupied(runtime, 2, [] { test::burn(1s); });
  static_cast<void>(clients.slowest_round_trip());
  CHECK(eventually([&] {
    const std::scoped_lock lock(mutex);
    return logged.contains("the program has replaced the handler of signal 23 (SIGURG)");
  }));
}

TEST_SUITE_END();

}  // namespace volt
