#include "http/server/internal/gate.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "runtime/runtime.h"
#include "runtime/task.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"

namespace volt::http::server {
namespace {

struct Passage {
  explicit Passage(std::uint32_t connections_max) : max(connections_max), gate(connections_max) {}

  const std::uint32_t max;
  Gate gate;
  base::Atomic<std::uint32_t> inside{0};
  base::Atomic<bool> crowded{false};
};

Task<> pass_through(std::shared_ptr<Passage> passage) {
  while (!passage->gate.try_enter()) co_await passage->gate.room();
  passage->gate.pass_on();
  if (passage->inside.fetch_add(1) >= passage->max) passage->crowded = true;
  co_await yield();
  passage->inside.fetch_sub(1);
  passage->gate.leave();
}

}  // namespace

TEST_SUITE_BEGIN("http/server/gate");

TEST_CASE("a gate is full at its number, and open again when one has left") {
  Gate gate(2);
  CHECK(gate.max() == 2);
  CHECK(gate.try_enter());
  CHECK(gate.try_enter());
  CHECK_FALSE(gate.try_enter());
  gate.enter();  // who must be let in
  gate.leave();
  CHECK_FALSE(gate.try_enter());
  gate.leave();
  CHECK(gate.try_enter());
  CHECK(gate.count() == 2);
}

TEST_CASE("a gate without a number is never full") {
  Gate gate(0);
  CHECK(gate.max() == 0);
  for (int i = 0; i != 1000; ++i) CHECK(gate.try_enter());
}

TEST_CASE("all who wait get in, and never too many at a time") {
  Runtime runtime(test_options());
  for (const std::uint32_t max : {1U, 2U, 7U}) {
    const auto passage = std::make_shared<Passage>(max);
    runtime.block_on([&]() -> Task<> {
      std::vector<JoinHandle<void>> handles;
      for (std::uint64_t i = 0; i != test::stress_rounds(2000); ++i) handles.push_back(spawn(pass_through, passage));
      for (auto& handle : handles) co_await std::move(handle);
    });
    CHECK_FALSE(passage->crowded);
    CHECK(passage->gate.count() == 0);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
