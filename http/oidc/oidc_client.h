// SPDX-License-Identifier: MIT

// OidcClient: lets users log in at an OpenID provider, such as Keycloak, Entra ID or Google, by the authorization code
// flow with PKCE.
//
//   auto client = std::make_shared<HttpClient>(ClientOptions{.tls = tls::client_transport()});
//   app.state(OidcClient(client, {.issuer = "https://id.example", .client_id = "shop", .client_secret = secret,
//                                 .redirect_uri = "https://shop.example/login/callback", .keys = keys}));
//   app.use(sessions({.keys = keys}), csrf());
//
//   Task<Response> login(Request& request, State<OidcClient> oidc) { co_return co_await oidc->begin(request); }
//
//   Task<Response> callback(Request& request, From<Session> session, State<OidcClient> oidc) {
//     const OidcLogin login = co_await oidc->finish(request, *session);     // throws OidcFailure
//     session->set("user", co_await user_of(login.claims.issuer, login.claims.subject));
//     co_return login.redirect();
//   }
//
// begin() redirects the browser to the provider, and keeps `nonce` and the PKCE verifier in an encrypted cookie that is
// bound to `state`. Several logins may be under way in one browser. finish() checks `state` and `iss`, exchanges the
// code, verifies the ID token and renews the session (Session::rotate), so that a session id from before the login is
// worth nothing. A user is identified by issuer and subject together; an e-mail address is not proof of anything unless
// the provider is trusted to have verified it.
//
// The metadata (OpenID Connect Discovery) and the keys (RemoteKeys) are fetched when the first login needs them, so a
// service starts although its provider is down. `state` needs no storage in the server, so that any process with the
// keys can finish a login that another one began.
//
// Not supported: the implicit and the hybrid flow, response_mode=form_post, encrypted ID tokens, ID tokens with a
// shared secret (HS256), signed UserInfo responses, request objects and back-channel logout.
//
// Threads: any; a value whose copies share the metadata and the keys. Lifetime: its calls keep what they need alive.
// Cancellation: a cancelled call ends its request to the provider; the code of a login is then lost.
// Errors: OidcFailure; each is logged (module `oidc`).
// Source: OpenID Connect Core 1.0, Discovery 1.0 and RP-Initiated Logout 1.0; RFC 6749, RFC 7636 (PKCE), RFC 9207
// (iss), RFC 9700 (security best current practice).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "http/auth/jwt_claims.h"
#include "http/client/client.h"
#include "http/cookies/cookies.h"
#include "http/middleware/session.h"
#include "http/oidc/oidc_failure.h"
#include "http/oidc/oidc_options.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http {

namespace oidc {
class RelyingParty;
}

struct OidcBegin {
  // Where redirect() leads after the login. A text that is_local_path() refuses, or of more than 1,024 bytes, is
  // replaced by "/", so it may come from the request.
  std::string return_to = "/";
  std::string prompt = {};      // "login", "consent", "select_account" or "none"; empty: the provider decides
  std::string login_hint = {};  // such as the user's e-mail address
  std::optional<std::chrono::seconds> max_age = std::nullopt;  // the user must have authenticated since
};

struct OidcTokens {
  std::string access_token;
  std::optional<std::chrono::seconds> expires_in;  // of the access token
  // Empty unless the provider returned one, for which most require the scope "offline_access". It is valid for months
  // and as good as the user's password there: store it encrypted in a database, and not in a cookie session, which a
  // client could bring back after a refresh or a logout.
  std::string refresh_token;
  std::string id_token;  // for logout_uri(); empty after a refresh without one
  std::string scope;     // empty: as requested
};

struct OidcLogin {
  auth::JwtClaims claims;  // of the ID token; from_json<MyClaims>(claims.payload) reads others, such as `email`
  std::string user_info;   // JSON of the UserInfo endpoint, if OidcOptions::user_info; `sub` has been compared
  OidcTokens tokens;
  std::string return_to;  // a local path
  SetCookie spent;        // deletes the cookie of the login

  // Returns a redirect to `return_to`, with `spent`.
  [[nodiscard]] Response redirect() const;
};

class OidcClient {
 public:
  // `client` must not be null. Throws std::invalid_argument for options that are missing or exclude each other.
  OidcClient(std::shared_ptr<HttpClient> client, OidcOptions options);

  // Returns the redirect to the provider. The handler may respond to GET: another site that makes a browser begin a
  // login gains nothing.
  [[nodiscard]] Task<Response> begin(const Request& request, OidcBegin begin = {}) const;

  // Finishes the login, in the handler of OidcOptions::redirect_uri, a GET. Renews `session`; its values stay. If a
  // value is of the user who was logged in before, call session.destroy() first.
  [[nodiscard]] Task<OidcLogin> finish(const Request& request, Session& session) const;

  // Returns new tokens (OpenID Connect Core section 12). `subject` is that of the login. If the result has a refresh
  // token, it replaces the one before. Fails with OidcError::refused_code if the provider no longer accepts the token.
  [[nodiscard]] Task<OidcTokens> refresh(std::string refresh_token, std::string subject) const;

  // Returns where to redirect a browser that has logged out here, so that the user is logged out at the provider, too
  // (RP-Initiated Logout section 2). `return_to` is an absolute URI that is registered at the provider; empty: the user
  // stays there. Returns nullopt if the provider has no such page, or is unavailable: then only the session here ends.
  // Call session.destroy() in any case. `id_token` may be empty; most providers then ask the user for confirmation.
  [[nodiscard]] Task<std::optional<std::string>> logout_uri(std::string id_token, std::string return_to = {}) const;

 private:
  std::shared_ptr<oidc::RelyingParty> party_;
};

}  // namespace volt::http
