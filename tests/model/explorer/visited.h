// SPDX-License-Identifier: MIT

// Visited: the states that an exploration has reached, each with the smallest number of deviations that led to it.
#pragma once

#include <cstdint>
#include <vector>

namespace volt::model {

class Visited {
 public:
  Visited() : places_(1 << 16) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }

  // Records that the state was reached. Returns false if it was reached before with no more deviations. (States are
  // compared by a hash of 64 bits: among 10 million states, two share a hash with a probability below 1 in 100,000.)
  [[nodiscard]] bool enter(std::uint64_t state, unsigned deviations) {
    if (count_ * 2 > places_.size()) grow();
    Place& place = find(places_, state);
    if (place.state == kNone) {
      ++count_;
      place = {.state = state, .deviations = deviations};
      return true;
    }
    if (place.deviations <= deviations) return false;
    place.deviations = deviations;
    return true;
  }

 private:
  static constexpr std::uint64_t kNone = 0;
  struct Place {
    std::uint64_t state = kNone;
    unsigned deviations = 0;
  };

  static Place& find(std::vector<Place>& places, std::uint64_t state) noexcept {
    std::size_t at = state & (places.size() - 1);
    while (places[at].state != kNone && places[at].state != state) at = (at + 1) & (places.size() - 1);
    return places[at];
  }

  void grow() {
    std::vector<Place> larger(places_.size() * 2);
    for (const Place& place : places_) {
      if (place.state != kNone) find(larger, place.state) = place;
    }
    places_ = std::move(larger);
  }

  std::vector<Place> places_;
  std::uint64_t count_ = 0;
};

}  // namespace volt::model
