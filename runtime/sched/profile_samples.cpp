// SPDX-License-Identifier: MIT

#include "runtime/sched/profile_samples.h"

#include <sched.h>

#include <utility>

namespace volt::sched {

void ProfileSamples::start(std::size_t samples_max) {
  samples_ = std::make_unique_for_overwrite<ProfileSample[]>(samples_max);
  samples_max_ = samples_max;
  count_ = 0;
  lost_ = 0;
  state_.store(State::open, base::release);  // Z1
}

void ProfileSamples::take(const StackSample& stack, const void* signal_context, const ProfileTask& about) noexcept {
  State expected = State::open;
  if (!state_.compare_exchange_strong(expected, State::taking, base::acquire,  // Z1 Z2
                                      base::relaxed)) {                        // relaxed: nothing is read then
    return;
  }
  if (count_ == samples_max_) {
    ++lost_;
  } else {
    ProfileSample& sample = samples_[count_++];
    sample.task = about;
    sample.frame_count = stack.walk(signal_context, sample.frames);
  }
  state_.store(State::open, base::release);  // Z2
}

ProfileSamples::Taken ProfileSamples::stop() noexcept {
  State expected = State::open;
  while (!state_.compare_exchange_weak(expected, State::off, base::acquire,  // Z2
                                       base::relaxed)) {                     // relaxed: it tries again
    if (expected == State::off) return {};
    expected = State::open;
    ::sched_yield();
  }
  return {.samples = std::move(samples_), .count = std::exchange(count_, 0), .lost = lost_};
}

}  // namespace volt::sched
