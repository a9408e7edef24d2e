// SPDX-License-Identifier: MIT

// RemoteKeys: verifies JSON Web Tokens with the keys that an identity provider publishes (RFC 7517), and keeps them
// current.
//
//   auto client = std::make_shared<HttpClient>(ClientOptions{.tls = tls::client_transport()});
//   RemoteKeys keys(client, "https://id.example/.well-known/jwks.json",
//                   {.issuer = "https://id.example", .audience = "orders"});
//   api.use(http::jwt_auth(keys));
//
// The first token fetches the set. It is used for as long as its Cache-Control says, within bounds; a token in the last
// part of that time starts a fetch in the background. A token with an unknown `kid` fetches the set again, at most once
// in refetch_interval. All tokens that need a fetch wait for one fetch. If a fetch fails, the keys of the last set are
// used for stale_max longer; a key that the provider has withdrawn is accepted so long, too. Keys without `kid` are
// renewed only with the set.
//
// A fetch that fails, and a set without a usable key, are logged (module `jwks`).
//
// Threads: any; a value whose copies share the keys.
// Lifetime: a fetch keeps what it needs alive. Cancellation: a fetch does not end with the request that started it.
// Errors: JwtError, with no_keys if there are no usable keys.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>

#include "http/auth/jwk.h"
#include "http/auth/jwt.h"
#include "http/client/client.h"
#include "http/middleware/auth.h"
#include "runtime/task.h"

namespace volt::http {

struct RemoteKeysOptions {
  std::chrono::seconds lifetime_min = std::chrono::minutes(1);       // of a set, whatever its fields say
  std::chrono::seconds lifetime_max = std::chrono::hours(24);        // likewise
  std::chrono::seconds lifetime_default = std::chrono::minutes(10);  // of a set without max-age
  // How long before the end of its lifetime a set is fetched in the background; at most half of the lifetime.
  std::chrono::seconds refresh_ahead = std::chrono::minutes(1);
  std::chrono::seconds refetch_interval = std::chrono::seconds(30);  // minimum time between two fetches
  std::chrono::seconds stale_max = std::chrono::hours(1);  // use of a set after its lifetime, while fetches fail
  std::chrono::seconds fetch_timeout = std::chrono::seconds(10);
  auth::KeySetOptions set = {};  // its `secrets` must be false
};

class RemoteKeys {
 public:
  // `client` must not be null. Throws std::invalid_argument for options.set.secrets, and for bounds that exclude each
  // other.
  RemoteKeys(std::shared_ptr<HttpClient> client, std::string uri, auth::JwtOptions token,
             RemoteKeysOptions options = {});

  [[nodiscard]] Task<std::expected<JwtClaims, JwtError>> verify(std::string token) const;

 private:
  class State;

  std::shared_ptr<State> state_;
};

// Returns middleware like that of jwt_auth(JwtVerifier), with keys that are fetched. If there are none, the response is
// 503.
[[nodiscard]] Middleware jwt_auth(RemoteKeys keys, const AuthOptions& options = {});

}  // namespace volt::http
