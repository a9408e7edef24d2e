// SPDX-License-Identifier: MIT

#include "http/server/internal/memory_budget.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using State = MemoryBudget::State;

constexpr std::uint64_t kMiB = 1024 * 1024;

// A limit that leaves about `left` bytes.
MemoryUse limit_with(std::uint64_t left) { return MemoryUse::of_process(MemoryUse::of_process(0).used_bytes() + left); }

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/memory_budget");

TEST_CASE("without a limit there is plenty") {
  MemoryBudget budget(std::nullopt);
  budget.charge(1'000'000 * kMiB, 1s);
  budget.note_response(1'000'000 * kMiB, 64, 1s);
  CHECK(budget.state() == State::plenty);
  CHECK(budget.limit_bytes() == 0);
  CHECK(budget.used_bytes() == 0);
}

TEST_CASE("charged bytes count as used until a sample shows that they are free") {
  MemoryBudget budget(limit_with(4096 * kMiB));
  const std::uint64_t before = budget.used_bytes();
  budget.look(1s);
  budget.charge(100 * kMiB, 1s);
  CHECK(budget.used_bytes() >= before + 50 * kMiB);
  budget.look(1s + 1ms);  // too early for a sample
  CHECK(budget.used_bytes() >= before + 50 * kMiB);
  budget.look(2s);
  CHECK(budget.used_bytes() < before + 50 * kMiB);
}

TEST_CASE("so much is kept free that all workers can compose the largest response") {
  // Half of the limit, and 512 MiB more, are free, however much this process uses.
  MemoryBudget budget(limit_with(MemoryUse::of_process(0).used_bytes() + 1024 * kMiB));
  CHECK(budget.state() == State::plenty);
  budget.note_response(1000, 8, 1s);
  budget.note_response(10 * kMiB, 2, 1s);
  CHECK(budget.state() == State::plenty);
  budget.note_response(200 * kMiB, 64, 1s);  // of 12,800 MiB, at most half of the limit is kept free
  budget.charge(700 * kMiB, 1s);             // a sample is taken at once and finds the memory free
  CHECK(budget.state() == State::plenty);
  budget.charge(700 * kMiB, 1s);  // no sample is due
  CHECK(budget.low());
}

TEST_CASE("a large response is charged when it is noted, before it is sent") {
  MemoryBudget budget(limit_with(1024 * kMiB));
  const std::uint64_t before = budget.used_bytes();
  budget.note_response(1000, 4, 1s);  // not a large one
  CHECK(budget.used_bytes() == before);
  budget.note_response(10 * kMiB, 4, 1s);
  CHECK(budget.used_bytes() == before + 10 * kMiB);
}

TEST_CASE("a large response is forgotten by and by") {
  MemoryBudget budget(limit_with(1024 * kMiB));
  budget.note_response(200 * kMiB, 4, 1s);
  budget.charge(700 * kMiB, 1s);  // a sample is taken at once
  budget.charge(700 * kMiB, 1s);  // no sample is due
  CHECK(budget.low());
  std::chrono::nanoseconds now = 1s;
  for (int minute = 0; minute != 12; ++minute) {
    now += 61s;
    budget.note_response(100'000, 4, now);
  }
  budget.charge(700 * kMiB, now);  // would be low at once, and sampled, if so much were still kept free
  budget.charge(700 * kMiB, now);
  CHECK(budget.state() == State::plenty);
}

TEST_CASE("a large response is forgotten also when no other one follows") {
  const std::string held(256 * kMiB, 'x');  // more than what earlier cases have freed, which a sample gives back
  MemoryBudget budget(limit_with(MemoryUse::of_process(0).used_bytes() / 2));  // a third of the limit is free
  CHECK(budget.state() == State::plenty);
  budget.note_response(100'000 * kMiB, 4, 1s);  // so half of the limit is kept free
  budget.look(2s);
  CHECK(budget.state() == State::low);
  std::chrono::nanoseconds now = 2s;
  for (int minute = 0; minute != 6; ++minute) {
    now += 61s;
    budget.look(now);
  }
  CHECK(budget.state() == State::plenty);
}

}  // namespace volt::http::server
