// SPDX-License-Identifier: MIT

// JSON Web Keys and Key Sets (RFC 7517): public keys as JSON, as identity providers publish them.
//
//   const std::expected<KeySet, KeySetError> set = parse_key_set(json);
//   const JwtVerifier verifier(set->keys, {.issuer = "https://id.example", .audience = "orders"});
//
// RemoteKeys (http/jwks/remote_keys.h) fetches a set and keeps it current.
//
// Threads: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/signature.h"
#include "http/auth/jwt_key.h"

namespace volt::http::auth {

struct KeySetOptions {
  std::size_t bytes_max = 256 * 1024;
  std::size_t keys_max = 32;  // A token without `kid` is tried with each key of its algorithm.
  // The algorithm of RSA keys without `alg`, because several algorithms use such keys. Other keys have only one.
  JwtAlgorithm rsa_algorithm = JwtAlgorithm::rs256;
  // Whether to use shared secrets (kty "oct", with `alg`). Never for a set that others can read.
  bool secrets = false;
};

enum class KeySetError : std::uint8_t {
  too_long,   // beyond bytes_max
  too_many,   // beyond keys_max
  malformed,  // not an object with an array `keys` of objects; or a member is repeated
};

struct KeySet {
  std::vector<JwtKey> keys;
  // Keys that were left out (RFC 7517 section 5): of an unsupported type, curve or algorithm, for another use than
  // signatures, too short, with missing or malformed members, or with a `kid` that an earlier key has.
  std::size_t skipped = 0;
};

// Parses a set. Private members, such as `d`, are ignored.
std::expected<KeySet, KeySetError> parse_key_set(std::string_view json, const KeySetOptions& options = {});

// Returns the set of the public keys among `keys`, with `use` "sig", `alg` and `kid`. Secrets are left out.
std::string format_key_set(std::span<const JwtKey> keys);

// Returns the SHA-256 thumbprint (RFC 7638) in base64url: an id that depends only on the key.
std::string jwk_thumbprint(const crypto::PublicKey& key);

}  // namespace volt::http::auth
