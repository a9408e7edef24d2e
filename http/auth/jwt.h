// JSON Web Tokens (RFC 7519) in their signed compact form (RFC 7515): verified, never made, never encrypted.
//
// What a token says of itself decides nothing (RFC 8725). Its `alg` has to be that of a key which the verifier was given
// for it; keys that it brings or points to (jwk, jku, x5c, x5u) are not looked at; an extension that it calls critical
// is refused. Its claims are read only after its signature is right.
//
// Threads: a verifier is immutable; any thread may verify by it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "http/auth/internal/jwt_claims.h"
#include "http/auth/internal/jwt_key.h"

namespace volt::http::auth {

enum class JwtError : std::uint8_t {
  too_long,
  malformed,        // no three parts, no strict base64url, no JSON object, a member of the wrong type or there twice
  critical,         // `crit`: extensions, of which none is known
  wrong_type,       // `typ` is not what the options ask for
  unknown_key,      // no key with that `kid`
  wrong_algorithm,  // `alg` is not that of the key
  bad_signature,
  expired,
  no_expiry,  // and the options ask for one
  not_yet_valid,
  wrong_issuer,
  wrong_audience,
};

struct JwtOptions {
  std::string issuer;    // `iss` has to be this; empty: any
  std::string audience;  // `aud` has to name this; empty: only tokens without `aud` (RFC 7519 section 4.1.3)
  std::string type;      // `typ` has to be this, case-blind ("at+jwt", RFC 9068); empty: any
  std::chrono::seconds leeway = std::chrono::seconds(60);  // by which clocks may differ
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
