// SPDX-License-Identifier: MIT

#include "http/testing/internal/fake_script.h"

#include <stdexcept>
#include <utility>

namespace volt::http::testing {

void FakeScript::add(const FakeFailure& failure, int times) {
  if (times < 1) throw std::invalid_argument("a failure must show at least once");
  const std::scoped_lock lock(mutex_);
  failures_.insert(failures_.end(), static_cast<std::size_t>(times), failure);
}

std::optional<FakeFailure> FakeScript::take_locked(bool of_connection) {
  if (failures_.empty() || failures_.front().is_of_connection() != of_connection) return std::nullopt;
  const FakeFailure failure = failures_.front();
  failures_.pop_front();
  return failure;
}

std::optional<FakeFailure> FakeScript::begin_connection() {
  const std::scoped_lock lock(mutex_);
  ++connections_;
  return take_locked(true);
}

std::optional<FakeFailure> FakeScript::begin_request(FakeRequest request) {
  const std::scoped_lock lock(mutex_);
  requests_.push_back(std::move(request));
  return take_locked(false);
}

std::vector<FakeRequest> FakeScript::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::size_t FakeScript::connections() const noexcept {
  const std::scoped_lock lock(mutex_);
  return connections_;
}

std::size_t FakeScript::failures_left() const noexcept {
  const std::scoped_lock lock(mutex_);
  return failures_.size();
}

}  // namespace volt::http::testing
