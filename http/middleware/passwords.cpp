// SPDX-License-Identifier: MIT

#include "http/middleware/passwords.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "crypto/secret_bytes.h"
#include "http/web/problem.h"
#include "runtime/blocking.h"
#include "runtime/semaphore.h"

namespace volt::http {

struct Passwords::State {
  explicit State(PasswordOptions given)
      : options(std::move(given)),
        permits(options.concurrent_max, {.waiting_max = options.waiting_max}),
        hash_without_user(crypto::hash_password("", options.cost, options.peppers)) {}

  const PasswordOptions options;
  Semaphore permits;
  const std::string hash_without_user;  // verified if there is no usable hash, so that all cases take equally long
  // Of a hash that is verified: those of an earlier configuration may cost more.
  const crypto::PasswordCost cost_max{.memory_kib = std::max<std::uint32_t>(256 * 1024, options.cost.memory_kib),
                                      .passes = std::max<std::uint32_t>(16, options.cost.passes),
                                      .lanes = 16};
};

namespace {

// Overwrites the password when the call ends.
struct Wiped {
  std::string text;
  ~Wiped() { crypto::wipe(text); }
};

Task<Semaphore::Permit> permit_of(Semaphore& permits, std::chrono::milliseconds wait_max) {
  Result<Semaphore::Permit> permit = co_await permits.acquire_within(wait_max);
  if (!permit) throw unavailable("too many passwords are being checked");
  co_return *std::move(permit);
}

}  // namespace

Passwords::Passwords(PasswordOptions options) {
  if (options.concurrent_max == 0) throw std::invalid_argument("concurrent_max must be at least 1");
  state_ = std::make_shared<State>(std::move(options));
}

Task<std::string> Passwords::hash(std::string password) const {
  const std::shared_ptr<State> state = state_;
  const Wiped secret{std::move(password)};
  if (secret.text.size() > crypto::kPasswordBytesMax) throw unprocessable("the password is too long");
  const Semaphore::Permit permit = co_await permit_of(state->permits, state->options.wait_max);
  const auto compute = [&] { return crypto::hash_password(secret.text, state->options.cost, state->options.peppers); };
  co_return co_await blocking(compute);
}

Task<bool> Passwords::verify(std::string password, std::optional<std::string> hash) const {
  const std::shared_ptr<State> state = state_;
  const Wiped secret{std::move(password)};
  const Semaphore::Permit permit = co_await permit_of(state->permits, state->options.wait_max);
  const std::vector<crypto::Pepper>& peppers = state->options.peppers;
  const bool is_verifiable = hash.has_value() && crypto::is_verifiable(*hash, peppers, state->cost_max);
  const auto compute = [&] {
    const std::string& computed = is_verifiable ? *hash : state->hash_without_user;
    return crypto::verify_password(secret.text, computed, peppers, state->cost_max);
  };
  const bool matches = co_await blocking(compute);
  co_return is_verifiable&& matches;
}

bool Passwords::needs_rehash(std::string_view hash) const {
  return crypto::needs_rehash(hash, state_->options.cost, state_->options.peppers);
}

}  // namespace volt::http
