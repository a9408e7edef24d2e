// SPDX-License-Identifier: MIT

// Hashes of passwords with Argon2id (RFC 9106), as texts in the PHC format:
//
//   $argon2id$v=19$m=19456,t=2,p=1,keyid=MQ$c2FsdHNhbHRzYWx0c2FsdA$...
//
// Each call takes the memory of the cost and many milliseconds: too much for a worker, and for many calls at a time.
// http::Passwords (http/middleware/passwords.h) calls these functions on the blocking pool and bounds their number.
//
// A pepper is a secret that the database of the hashes does not contain, so that a copy of the database alone does not
// suffice to guess passwords. It has an id, which the hash contains (`keyid`). To replace a pepper, put a new one at
// the front of the list and keep the old one until no hash needs it.
//
// Threads: pure functions. Errors: std::invalid_argument for a cost, a pepper or a password beyond the limits below;
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "crypto/secret_bytes.h"

namespace volt::crypto {

// The cost of a hash. The default is the second of the recommendations of OWASP's password storage cheat sheet.
struct PasswordCost {
  std::uint32_t memory_kib = 19 * 1024;  // at least 8 for each lane, at most 4 GiB
  std::uint32_t passes = 2;              // from 1 to 100
  std::uint32_t lanes = 1;               // from 1 to 16; computed one after the other

  bool operator==(const PasswordCost&) const = default;
};

struct Pepper {
  std::string id;  // 1 to 8 letters and digits; not secret
  SecretBytes secret;
};

inline constexpr std::size_t kPasswordBytesMax = 4096;

// Returns a hash with a random salt, and with the first pepper, if there is one.
[[nodiscard]] std::string hash_password(std::string_view password, const PasswordCost& cost = {},
                                        std::span<const Pepper> peppers = {});

// Returns whether the hash is that of the password. Returns false, too, without computing anything, unless
// is_verifiable(hash, peppers, cost_max).
[[nodiscard]] bool verify_password(std::string_view password, std::string_view hash,
                                   std::span<const Pepper> peppers = {},
                                   const PasswordCost& cost_max = {
                                       .memory_kib = 256 * 1024, .passes = 16, .lanes = 16});

// Returns whether the hash is well-formed, costs at most `cost_max`, and has no pepper or one of the list. Computes
// nothing.
[[nodiscard]] bool is_verifiable(std::string_view hash, std::span<const Pepper> peppers = {},
                                 const PasswordCost& cost_max = {.memory_kib = 256 * 1024, .passes = 16, .lanes = 16});

// Returns whether hash_password() would now use another cost or another pepper. Then hash the password again, at the
// next login, when it is known.
[[nodiscard]] bool needs_rehash(std::string_view hash, const PasswordCost& cost = {},
                                std::span<const Pepper> peppers = {});

}  // namespace volt::crypto
