// SPDX-License-Identifier: MIT

#include "http/server/internal/late_requests.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds kRefusal = 15us;

// A worker whose requests are all late.
class LateWorker {
 public:
  struct Counts {
    int served = 0;
    int refused = 0;
    [[nodiscard]] int all() const { return served + refused; }
  };

  // Works for a time, in which it takes `request` to serve a request, and kRefusal to refuse one.
  Counts work(nanoseconds lasting, nanoseconds request) {
    Counts counts;
    for (const nanoseconds end = now_ + lasting; now_ < end;) {
      late_requests_.add({.now = now_, .busy_for = now_ - idle_at_});
      const bool refused = late_requests_.decide_refusal();
      ++(refused ? counts.refused : counts.served);
      now_ += refused ? kRefusal : request;
    }
    return counts;
  }
  // Works for a time on requests of which none is late yet.
  void serve(nanoseconds lasting, nanoseconds request) {
    for (const nanoseconds end = now_ + lasting; now_ < end; now_ += request) {
      late_requests_.add({.now = now_, .busy_for = now_ - idle_at_});
    }
  }
  void be_idle(nanoseconds lasting) { idle_at_ = now_ += lasting; }
  void lack_processor(nanoseconds lasting) { now_ += lasting; }
  [[nodiscard]] nanoseconds now() const { return now_; }

 private:
  LateRequests late_requests_;
  nanoseconds now_ = 1h;
  nanoseconds idle_at_ = now_;
};

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/late_requests");

TEST_CASE("most late requests are refused until their durations are known") {
  LateWorker worker;
  const LateWorker::Counts counts = worker.work(LateRequests::kWindow, 20us);
  CHECK(counts.refused == doctest::Approx(3.0 * counts.served).epsilon(0.01));
}

TEST_CASE("short requests are served, however late") {
  for (const nanoseconds request : {15us, 49us}) {
    CAPTURE(request.count());
    LateWorker worker;
    worker.serve(5s, request);
    CHECK(worker.work(10s, request).refused == 0);
  }
}

TEST_CASE("of longer requests as many are refused as bring the average time of a request down to 50 us") {
  const struct {
    nanoseconds request;
    double refused;  // share
  } cases[] = {{60us, 0.222}, {120us, 0.667}, {1ms, 0.964}, {10ms, 0.996}};
  for (const auto& [request, refused] : cases) {
    CAPTURE(request.count());
    LateWorker worker;
    worker.work(2s, request);
    const nanoseconds began = worker.now();
    const LateWorker::Counts counts = worker.work(20s, request);
    CHECK(counts.refused / static_cast<double>(counts.all()) == doctest::Approx(refused).epsilon(0.02));
    const nanoseconds average = (worker.now() - began) / counts.all();
    CHECK(average > 47us);
    CHECK(average < 53us);
  }
}

TEST_CASE("of requests that take longer than a second nearly all are refused, too") {
  LateWorker worker;
  worker.work(30s, 1500ms);
  const LateWorker::Counts counts = worker.work(10s, 1500ms);
  CHECK(counts.refused > 100 * counts.served);
}

TEST_CASE("requests that are not late yet show whether to refuse most") {
  for (const auto& [request, refused] : {std::pair(20us, 0.0), std::pair(2000us, 15.0 / 16)}) {
    CAPTURE(request.count());
    LateWorker worker;
    worker.serve(2 * LateRequests::kWindow + 2ms, request);
    const LateWorker::Counts counts = worker.work(40ms, request);
    CHECK(counts.refused / static_cast<double>(counts.all()) == doctest::Approx(refused).epsilon(0.02));
  }
}

TEST_CASE("when requests become short, none is refused any more after half a second") {
  LateWorker worker;
  worker.work(2s, 10ms);
  worker.work(600ms, 20us);
  CHECK(worker.work(1s, 20us).refused == 0);
}

TEST_CASE("a worker that had no processor refuses requests for a moment only") {
  LateWorker worker;
  worker.serve(1s, 20us);
  worker.lack_processor(500ms);
  CHECK(worker.work(2 * LateRequests::kWindow, 20us).refused != 0);
  CHECK(worker.work(10s, 20us).refused == 0);
}

TEST_CASE("the time in which a worker is idle does not count") {
  LateWorker worker;
  for (int i = 0; i != 20; ++i) {
    worker.serve(110ms, 20us);
    CHECK(worker.work(20ms, 20us).refused == 0);
    worker.be_idle(900ms);
  }
}

TEST_CASE("a worker forgets what it refused once it has been idle, and no request was counted for a second") {
  for (const auto& [pause, forgets] : {std::pair(1000ms, true), std::pair(800ms, false)}) {
    CAPTURE(pause.count());
    LateWorker worker;
    worker.work(2s, 10ms);
    worker.be_idle(pause);
    worker.serve(2 * LateRequests::kWindow + 1ms, 20us);
    CHECK((worker.work(LateRequests::kWindow, 20us).refused == 0) == forgets);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
