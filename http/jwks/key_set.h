// SPDX-License-Identifier: MIT

// key_set: publishes the public keys of a JwtSigner, for the services that verify its tokens.
//
//   auto signer = std::make_shared<auth::JwtSigner>(key, auth::JwtSignerOptions{.issuer = "https://id.example"});
//   app.get("/.well-known/jwks.json", http::key_set(signer));
//
// The response lists the key that signs and those before it (JwtSigner::rotate), as application/jwk-set+json. Secrets
// are not listed.
//
// Threads: the handler may run on any worker. Lifetime: the handler shares the signer.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "http/auth/jwt_signer.h"
#include "http/web/response.h"

namespace volt::http {

using auth::JwtSigner;

// The handler that key_set() returns.
class PublishKeys {
 public:
  PublishKeys(std::shared_ptr<const JwtSigner> signer, std::chrono::seconds max_age)
      : signer_(std::move(signer)), max_age_(max_age) {}

  [[nodiscard]] Response operator()() const;

 private:
  std::shared_ptr<const JwtSigner> signer_;
  std::chrono::seconds max_age_;
};

// Returns a handler. Clients may use the response for `max_age`, so a key must be announced so long before it signs.
[[nodiscard]] inline PublishKeys key_set(std::shared_ptr<const JwtSigner> signer,
                                         std::chrono::seconds max_age = std::chrono::minutes(5)) {
  return {std::move(signer), max_age};
}

}  // namespace volt::http
