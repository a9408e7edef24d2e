// SPDX-License-Identifier: MIT

// OidcOptions: the settings of an OidcClient (http/oidc/oidc_client.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "http/auth/jwt_key.h"
#include "http/cookies/cookie_keys.h"

namespace volt::http {

// How the client authenticates at the token endpoint (OpenID Connect Core section 9).
enum class OidcClientAuth : std::uint8_t {
  automatic,  // without a secret: none; else basic, or post if the provider's metadata lists post but not basic
  basic,      // client_secret_basic
  post,       // client_secret_post
  none,       // a public client, which only PKCE protects
};

struct OidcOptions {
  std::string issuer = {};     // exactly as the provider writes it: "https://id.example", with or without a last '/'
  std::string client_id = {};  // as registered at the provider
  std::string client_secret = {};  // empty: a public client
  std::string redirect_uri = {};   // absolute, as registered: "https://shop.example/login/callback"
  CookieKeys keys;                 // seal the cookie of a login under way; all processes of the service need them
  OidcClientAuth client_auth = OidcClientAuth::automatic;
  std::vector<std::string> scopes = {"openid", "profile", "email"};
  bool user_info = false;  // fetch the claims of the UserInfo endpoint, too
  // Algorithms of ID tokens that are accepted, whatever keys the provider publishes. Those with a shared secret are
  // refused by the constructor.
  std::vector<auth::JwtAlgorithm> algorithms = {auth::JwtAlgorithm::rs256, auth::JwtAlgorithm::ps256,
                                                auth::JwtAlgorithm::es256, auth::JwtAlgorithm::eddsa};
  std::string cookie = "__Host-oidc";  // prefix of the names of the cookies of logins under way
  bool secure = true;                  // false only for plain HTTP in development; `cookie` must then lack "__Host-"
  // true only in development: accepts issuers, endpoints and redirect URIs with http, on which tokens can be read.
  bool allow_http = false;
  std::chrono::seconds login_time = std::chrono::minutes(10);       // maximum time from begin() to finish()
  std::chrono::seconds request_timeout = std::chrono::seconds(10);  // of each request to the provider
  std::chrono::seconds leeway = std::chrono::seconds(60);           // tolerated difference between clocks
  std::chrono::seconds metadata_lifetime = std::chrono::hours(1);   // then fetched again; on failure, used on
  std::chrono::seconds retry_interval = std::chrono::seconds(5);    // between attempts to fetch metadata
};

}  // namespace volt::http
