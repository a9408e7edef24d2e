// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/memory_use.h"
#include "runtime/runtime.h"
#include "runtime/semaphore.h"
#include "runtime/spawn.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kTasks = 200'000;

std::uint64_t resident_bytes() { return MemoryUse::of_process(0).used_bytes(); }

Task<> wait_for(std::shared_ptr<Semaphore> gate) { [[maybe_unused]] const auto permit = co_await gate->acquire(); }

Task<> spawn_all(std::shared_ptr<Semaphore> gate) {
  for (std::size_t i = 0; i != kTasks; ++i) spawn(wait_for, gate).detach();
  co_return;
}

// Waits for at most a minute.
bool eventually(const auto& holds) {
  for (int i = 0; i != 1200; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(50ms);
  }
  return holds();
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/trim");

TEST_CASE("the memory of finished tasks returns to the kernel" * doctest::skip(test::kSanitized)) {
  for (const std::uint32_t workers : {1U, 3U}) {
    Runtime runtime(test_options(workers));
    for (int round = 0; round != 2; ++round) {
      const std::uint64_t before = resident_bytes();
      auto gate = std::make_shared<Semaphore>(0);
      if (round == 0) {
        runtime.block_on(spawn_all, gate);
      } else {  // from a thread that is not a worker
        for (std::size_t i = 0; i != kTasks; ++i) runtime.spawn(wait_for, gate).detach();
      }
      REQUIRE(eventually([&] { return runtime.metrics().live_tasks == kTasks; }));
      const std::uint64_t burst = resident_bytes();
      REQUIRE(burst > before + kTasks * 100);
      gate->release(1);
      REQUIRE(eventually([&] { return runtime.metrics().live_tasks == 0; }));
      CHECK(eventually([&] { return resident_bytes() < before + (burst - before) / 4; }));
    }
  }
}

TEST_SUITE_END();

}  // namespace volt
