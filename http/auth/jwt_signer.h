// SPDX-License-Identifier: MIT

// JwtSigner: makes signed JSON Web Tokens (RFC 7519), and rotates the keys that sign them.
//
//   JwtSigner signer(JwtSigningKey::from_pem(JwtAlgorithm::es256, pem).value(),
//                    {.issuer = "https://id.example", .audience = "orders", .lifetime = 10min});
//   struct Claims { std::string sub; std::string scope; };
//   const std::string token = signer.sign(Claims{"ann", "orders:read orders:write"});
//
// The signer adds iss, aud, iat and exp. rotate() replaces the key that signs and keeps the ones before it, so that
// their tokens can be verified until they expire. Replicas need the same keys. A verifier that only fetches the key set
// from time to time must know a key before it signs: announce() the key, and call rotate() with it later.
//
// Threads: any. Signing computes, for up to a millisecond or so with an RSA key.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/auth/jwt_key.h"
#include "http/json/json.h"

namespace volt::http::auth {

struct JwtSignerOptions {
  std::string issuer = {};                                   // `iss`; empty: none
  std::string audience = {};                                 // `aud`; empty: none
  std::string type = "JWT";                                  // `typ` ("at+jwt", RFC 9068); empty: none
  std::chrono::seconds lifetime = std::chrono::minutes(15);  // from `iat` to `exp`
  std::size_t keys_max = 3;                                  // kept keys; the oldest are dropped
};

class JwtSigner {
 public:
  using Moment = std::chrono::sys_seconds;

  // Throws std::invalid_argument if the lifetime is not positive, or if keys_max is 0.
  explicit JwtSigner(JwtSigningKey key, JwtSignerOptions options = {});

  // Returns a token with the members of `claims`, which must be written as a JSON object. Throws std::invalid_argument
  // if it is not, or has one of the members that the signer adds.
  template <JsonWritable Claims>
  std::string sign(const Claims& claims, Moment now = current_time()) const {
    return sign_object(to_json(claims), now);
  }
  // Returns a token with the members of the JSON object `claims`, likewise.
  std::string sign_object(std::string_view claims, Moment now = current_time()) const;

  // Makes `next` the key that signs. The keys before it stay published, up to keys_max in all. `next` may have been
  // announced.
  void rotate(JwtSigningKey next);
  // Publishes a key that does not sign yet. The oldest key is dropped if there are keys_max already.
  void announce(JwtSigningKey next);

  // Returns the keys that verify the tokens: the one that signs first.
  std::vector<JwtKey> verification_keys() const;

 private:
  using Keys = std::vector<JwtSigningKey>;

  static Moment current_time() noexcept;
  std::string payload_of(std::string_view claims, Moment now) const;
  std::shared_ptr<const Keys> keys() const;

  const JwtSignerOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Keys> keys_;  // under mutex_; the first one signs
};

}  // namespace volt::http::auth
