// SPDX-License-Identifier: MIT

// JwtVerifier: verifies JSON Web Tokens (RFC 7519) in their signed compact form (RFC 7515). JwtSigner
// (http/auth/jwt_signer.h) makes them. Encrypted tokens are not supported.
//
// A token does not decide how it is verified (RFC 8725). The token's `alg` must be the algorithm of a key that was
// given to the verifier. Keys that the token contains or points to (jwk, jku, x5c, x5u) are ignored. A token with an
// extension that it declares critical is rejected. Claims are read only after the signature has been verified.
//
// Threads: a verifier is immutable; any thread may use it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "http/auth/jwt_claims.h"
#include "http/auth/jwt_key.h"

namespace volt::http::auth {

enum class JwtError : std::uint8_t {
  too_long,
  malformed,        // Not three parts in strict base64url, no JSON object, or a member repeated or of the wrong type.
  critical,         // `crit` lists an extension; none is supported.
  wrong_type,       // `typ` differs from the required type.
  unknown_key,      // No key has the token's `kid`.
  wrong_algorithm,  // `alg` is not the algorithm of the key.
  bad_signature,
  expired,
  no_expiry,  // `exp` is missing, and the options require it.
  not_yet_valid,
  wrong_issuer,
  wrong_audience,
  no_keys,  // RemoteKeys could not fetch the keys: says nothing about the token.
};

struct JwtOptions {
  std::string issuer = {};  // Required `iss`; empty: any.
  // Value that `aud` must contain; empty: only tokens without `aud` (RFC 7519 section 4.1.3).
  std::string audience = {};
  std::string type = {};  // Required `typ`, case-insensitive ("at+jwt", RFC 9068); empty: any.
  std::chrono::seconds leeway = std::chrono::seconds(60);  // Tolerated difference between clocks.
  bool expiry_required = true;
  std::size_t token_bytes_max = 8 * 1024;
};

class JwtVerifier {
 public:
  JwtVerifier(std::vector<JwtKey> keys, JwtOptions options);

  std::expected<JwtClaims, JwtError> verify(std::string_view token, std::chrono::sys_seconds now) const;

 private:
  std::expected<void, JwtError> check_signature(std::string_view signed_part, std::string_view header_part,
                                                std::string_view signature_part) const;
  std::expected<void, JwtError> check_claims(const JwtClaims& claims, std::chrono::sys_seconds now) const;

  std::vector<JwtKey> keys_;
  JwtOptions options_;
};

}  // namespace volt::http::auth
