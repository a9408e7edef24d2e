// SPDX-License-Identifier: MIT

#include "http/middleware/internal/encoded_body.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt::http::middleware {
namespace {

using test::eventually;

constexpr coding::ContentCoding kCoding = coding::ContentCoding::gzip;

// Takes an encoder and gives it back. Returns whether a spare worker did so.
Task<bool> use(Borrowed<WorkerEncoders> encoders) {
  std::unique_ptr<coding::Encoder> encoder = encoders->take(kCoding);
  encoders->give_back(std::move(encoder));
  co_return on_spare_worker();
}

struct Gate {
  base::Atomic<bool> open{false};
  base::Atomic<bool> reached{false};
};

// Blocks its thread.
Task<> hold(Borrowed<Gate> gate) {
  gate->reached.store(true, base::seq_cst);
  CHECK(eventually([&] { return gate->open.load(base::seq_cst); }));
  co_return;
}

}  // namespace

TEST_SUITE_BEGIN("http/middleware/internal/encoded_body");

TEST_CASE("a worker keeps its idle encoders, and a spare worker keeps none") {
  WorkerEncoders encoders(coding::EncoderPoolOptions{});
  Gate gate;
  RuntimeOptions options = test_options(1);
  options.spare_workers_max = 1;
  Runtime runtime(options);
  auto pinned = runtime.spawn_local_on(0, use, borrow(encoders));
  REQUIRE(eventually([&] { return pinned.done(); }));
  CHECK_FALSE(pinned.task().take());
  CHECK(encoders.idle(kCoding) == 1);

  runtime.spawn_local_on(0, hold, borrow(gate)).detach();
  REQUIRE(eventually([&] { return gate.reached.load(base::seq_cst); }));
  auto rescued = runtime.spawn(use, borrow(encoders));
  REQUIRE(eventually([&] { return rescued.done(); }));
  CHECK(rescued.task().take());
  CHECK(encoders.idle(kCoding) == 1);
  gate.open.store(true, base::seq_cst);
}

TEST_SUITE_END();

}  // namespace volt::http::middleware
