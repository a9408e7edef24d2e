// SPDX-License-Identifier: MIT

// Passwords: hashes and verifies passwords with Argon2id, on the blocking pool, a few at a time.
//
//   app.state(http::Passwords());
//
//   Task<Response> login(Form<Login> form, State<http::Passwords> passwords, From<Session> session) {
//     std::optional<User> user = co_await find_user(form->name);
//     std::optional<std::string> hash;
//     if (user) hash = user->hash;
//     const bool right = co_await passwords->verify(form->password, hash);   // takes as long without a user
//     if (!right) throw http::unauthorized("wrong name or password");
//     if (passwords->needs_rehash(*hash)) co_await store_hash(user->id, co_await passwords->hash(form->password));
//     ...
//   }
//
// Each hash takes the memory of its cost (19 MiB by default), so at most `concurrent_max` are computed at a time. Other
// calls wait; if too many wait, or for too long, the request gets 503. crypto/password_hash.h describes the hashes, the
// cost and the peppers.
//
// Threads: a handle to constant state, safe for concurrent use. Lifetime: the calls keep the state alive.
// Errors: Problem 503; Problem 422 from hash() for a password of more than crypto::kPasswordBytesMax, with which
// verify() returns false; those of crypto/password_hash.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/password_hash.h"
#include "runtime/task.h"

namespace volt::http {

struct PasswordOptions {
  crypto::PasswordCost cost = {};
  std::vector<crypto::Pepper> peppers = {};                      // the first one is used for new hashes
  std::uint32_t concurrent_max = 2;                              // maximum number of hashes computed at a time
  std::uint32_t waiting_max = 64;                                // maximum number of calls that wait
  std::chrono::milliseconds wait_max = std::chrono::seconds(5);  // maximum wait of a call
};

class Passwords {
 public:
  // Throws std::invalid_argument if the cost or a pepper is out of range, or concurrent_max is 0.
  explicit Passwords(PasswordOptions options = {});

  [[nodiscard]] Task<std::string> hash(std::string password) const;
  // Returns whether the hash is that of the password. Without a hash, because there is no such user, or with one that
  // cannot be verified (crypto::is_verifiable), computes another one all the same and returns false, so that the time
  // of the response does not tell which users exist.
  [[nodiscard]] Task<bool> verify(std::string password, std::optional<std::string> hash) const;
  // Returns whether the hash has another cost or pepper than hash() would now use. Computes nothing.
  [[nodiscard]] bool needs_rehash(std::string_view hash) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace volt::http
