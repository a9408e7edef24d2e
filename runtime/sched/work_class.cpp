// SPDX-License-Identifier: MIT

#include "runtime/sched/work_class.h"

#include <algorithm>

namespace volt::sched {

constinit base::Atomic<bool> WorkClass::any_score_{false};
constinit std::array<base::Atomic<std::uint8_t>, WorkClass::kUrgent + 1> WorkClass::states_{};

namespace {

// Terminated by a zero. A class that gets the entry of an old one may be reported under a name that is half new.
constinit std::array<std::array<char, WorkClass::kNameBytes>, WorkClass::kRoutes> g_names{};

}  // namespace

WorkClass WorkClass::make(Weight weight, std::string_view name) noexcept {
  static base::Atomic<std::uint32_t> made{0};
  const std::uint32_t number = made.fetch_add(1, base::relaxed);  // relaxed: only a number
  const WorkClass result(static_cast<std::uint16_t>(1 + number % (kRoutes - 1)));
  std::array<char, kNameBytes>& place = g_names[result.index_];
  place[name.copy(place.data(), kNameBytes - 1)] = '\0';
  switch (weight) {
    case Weight::learned:
      result.set(0);
      break;
    case Weight::light:
      result.set(kAlwaysLight);
      break;
    case Weight::heavy:
      result.set(kAlwaysHeavy);
      break;
  }
  return result;
}

std::string_view WorkClass::name() const noexcept {
  return index_ < kRoutes ? std::string_view(g_names[index_].data()) : std::string_view();
}

const char* WorkClass::name_table() noexcept { return g_names.front().data(); }

void WorkClass::found_long() const noexcept {
  if (index_ == 0 || is_urgent()) return;
  const std::uint8_t score = states_[index_].load(base::relaxed);  // relaxed: a hint
  if (score <= kScoreMax) set(std::min<std::uint8_t>(kScoreMax, score + kLongTurnScore));
}

void WorkClass::found_short() const noexcept {
  const std::uint8_t score = states_[index_].load(base::relaxed);  // relaxed: a hint
  if (score != 0 && score <= kScoreMax) set(score - 1);
}

void WorkClass::set(std::uint8_t state) const noexcept {
  states_[index_].store(state, base::relaxed);                                     // relaxed: a hint
  if (state != 0 && state != kAlwaysLight) any_score_.store(true, base::relaxed);  // relaxed: a hint
}

}  // namespace volt::sched
