// SPDX-License-Identifier: MIT

#include "runtime/sched/fork_worth.h"

#include <doctest/doctest.h>

namespace volt::sched {
namespace {

// Returns how many offers pass up to and including the next bet.
std::uint32_t offers_to_bet(ForkWorth& worth) {
  std::uint32_t offers = 1;
  while (!worth.bet()) ++offers;
  return offers;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/fork_worth");

TEST_CASE("bets that do not pay become rare, up to a bound") {
  ForkWorth worth;
  CHECK(offers_to_bet(worth) == 1);
  std::uint32_t last = 1;
  for (int i = 0; i != 20; ++i) {
    const std::uint32_t offers = offers_to_bet(worth);
    CHECK(offers >= last);
    CHECK(offers <= ForkWorth::kOffersMax + 1);
    last = offers;
  }
  CHECK(last == ForkWorth::kOffersMax + 1);
}

TEST_CASE("a long job makes the next offer a bet, a short one does not") {
  ForkWorth worth;
  for (int i = 0; i != 20; ++i) static_cast<void>(offers_to_bet(worth));
  CHECK_FALSE(worth.job_took(ForkWorth::kPays / 2));
  CHECK(offers_to_bet(worth) == ForkWorth::kOffersMax + 1);
  CHECK(worth.job_took(ForkWorth::kPays));
  CHECK(offers_to_bet(worth) == 1);
  CHECK(offers_to_bet(worth) == 2);
}

TEST_CASE("thieves are welcome until a job was short, and again after the next bet") {
  ForkWorth worth;
  CHECK(worth.thieves_welcome());
  static_cast<void>(worth.job_took(ForkWorth::kPays * 2));
  CHECK(worth.thieves_welcome());
  static_cast<void>(worth.job_took(ForkWorth::kPays / 2));
  CHECK_FALSE(worth.thieves_welcome());
  static_cast<void>(offers_to_bet(worth));
  CHECK(worth.thieves_welcome());
}

TEST_SUITE_END();

}  // namespace volt::sched
