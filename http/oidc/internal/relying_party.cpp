// SPDX-License-Identifier: MIT

#include "http/oidc/internal/relying_party.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/message/media_type_value.h"
#include "http/web/redirect.h"
#include "runtime/wall_clock.h"

namespace volt::http::oidc {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string local_path(std::string path) {
  constexpr std::size_t kBytesMax = 1024;  // so that the cookie of the attempt stays below 4,096 bytes
  return path.size() <= kBytesMax && is_local_path(path) ? std::move(path) : "/";
}

OidcTokens tokens_of(TokenAnswer answer) {
  OidcTokens tokens{.access_token = std::move(answer.access_token),
                    .expires_in = std::nullopt,
                    .refresh_token = std::move(answer.refresh_token).value_or(""),
                    .id_token = std::move(answer.id_token).value_or(""),
                    .scope = std::move(answer.scope).value_or("")};
  if (answer.expires_in) tokens.expires_in = std::chrono::seconds(*answer.expires_in);
  return tokens;
}

OidcOptions checked(OidcOptions options) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw std::invalid_argument(std::string("OidcClient: ") + sentence);
  };
  constexpr std::chrono::seconds kNone(0);
  require(is_endpoint(options.issuer, options.allow_http) && !options.issuer.contains('?'),
          "issuer must be an https URI without a query; allow_http permits http for development");
  require(is_endpoint(options.redirect_uri, options.allow_http),
          "redirect_uri must be an absolute https URI; allow_http permits http for development");
  require(!options.client_id.empty(), "client_id is empty");
  require(std::ranges::find(options.scopes, "openid") != options.scopes.end(), "scopes must contain \"openid\"");
  const bool needs_secret = options.client_auth == OidcClientAuth::basic || options.client_auth == OidcClientAuth::post;
  require(!needs_secret || !options.client_secret.empty(), "client_auth needs a client_secret");
  require(options.client_auth != OidcClientAuth::none || options.client_secret.empty(),
          "client_secret is not used with OidcClientAuth::none");
  require(!options.algorithms.empty() && std::ranges::all_of(options.algorithms,
                                                             [](auth::JwtAlgorithm algorithm) {
                                                               return auth::signature_algorithm(algorithm).has_value();
                                                             }),
          "algorithms must be public-key algorithms, at least one");
  require(options.login_time > kNone && options.request_timeout > kNone && options.leeway >= kNone &&
              options.metadata_lifetime > kNone && options.retry_interval > kNone,
          "a time is not positive");
  return options;
}

struct Subject {
  std::string sub;
};

}  // namespace

RelyingParty::RelyingParty(std::shared_ptr<HttpClient> client, OidcOptions options)
    : options_(checked(std::move(options))), attempts_(options_), provider_(std::move(client), options_) {}

FormText RelyingParty::authorization(const OidcBegin& begin, const Attempt& attempt, std::string_view state) const {
  FormText form;
  form.add("response_type", "code")
      .add("client_id", options_.client_id)
      .add("redirect_uri", options_.redirect_uri)
      .add("scope", joined(options_.scopes))
      .add("state", state)
      .add("nonce", attempt.nonce)
      .add("code_challenge", attempt.challenge())
      .add("code_challenge_method", "S256")
      .add_if_any("prompt", begin.prompt)
      .add_if_any("login_hint", begin.login_hint);
  if (begin.max_age) form.add("max_age", std::to_string(begin.max_age->count()));
  return form;
}

Task<Outcome<Response>> RelyingParty::begin(const Request& request, OidcBegin begin) {
  const auto found = co_await provider_.discover();
  if (!found) co_return std::unexpected(found.error());
  const Attempt attempt = Attempt::make(local_path(std::move(begin.return_to)), begin.max_age);
  const std::string state = new_state();
  const FormText form = authorization(begin, attempt, state);
  Response response = redirect(form.behind((*found)->metadata.authorization_endpoint));
  response.header("Cache-Control", "no-store");
  attempts_.save(attempt, state, request, response);
  co_return response;
}

Task<Outcome<OidcLogin>> RelyingParty::finish(const Request& request) {
  const std::optional<Callback> callback = Callback::parse(request.query());
  const std::optional<Attempt> attempt = callback ? attempts_.find(callback->state, request) : std::nullopt;
  if (!attempt) co_return failed(OidcError::unknown_login, "there is no cookie for the state of the response");
  co_return co_await finish_attempt(*callback, *attempt);
}

Task<Outcome<OidcTokens>> RelyingParty::refresh(std::string refresh_token, std::string subject) {
  const auto found = co_await provider_.discover();
  if (!found) co_return std::unexpected(found.error());
  FormText form;
  form.add("grant_type", "refresh_token").add("refresh_token", refresh_token);
  Outcome<TokenAnswer> tokens = co_await ask_tokens(**found, std::move(form));
  if (!tokens) co_return std::unexpected(std::move(tokens).error());
  if (tokens->id_token) {
    const IdTokenRules rules{.client_id = options_.client_id,
                             .nonce = std::nullopt,
                             .subject = subject,
                             .max_age = std::nullopt,
                             .leeway = options_.leeway};
    const Outcome<auth::JwtClaims> claims = co_await verify(**found, *tokens, rules);
    if (!claims) co_return std::unexpected(claims.error());
  }
  co_return tokens_of(*std::move(tokens));
}

Task<std::optional<std::string>> RelyingParty::logout_uri(std::string id_token, std::string return_to) {
  const auto found = co_await provider_.discover();
  if (!found || !(*found)->metadata.end_session_endpoint) co_return std::nullopt;
  FormText form;
  form.add_if_any("id_token_hint", id_token)
      .add("client_id", options_.client_id)
      .add_if_any("post_logout_redirect_uri", return_to);
  co_return form.behind(*(*found)->metadata.end_session_endpoint);
}

Task<Outcome<TokenAnswer>> RelyingParty::ask_tokens(const Discovered& found, FormText form) {
  ClientRequest request = token_request(found.metadata, options_, std::move(form));
  Outcome<Answer> answer = co_await provider_.send(std::move(request));
  if (!answer) {
    co_return failed(answer.error().error, "the token endpoint: " + answer.error().reason);
  }
  co_return read_tokens(*answer);
}

Task<Outcome<auth::JwtClaims>> RelyingParty::verify(const Discovered& found, const TokenAnswer& tokens,
                                                    IdTokenRules rules) {
  if (!tokens.id_token) co_return failed(OidcError::bad_provider, "the token response has no ID token");
  const auto algorithm = algorithm_of(*tokens.id_token, options_);
  if (!algorithm) co_return failed(OidcError::bad_token, algorithm.error());
  std::string token = *tokens.id_token;
  auto claims = co_await found.keys.verify(std::move(token));
  if (!claims) {
    const bool without_keys = claims.error() == auth::JwtError::no_keys;
    co_return failed(without_keys ? OidcError::unavailable : OidcError::bad_token,
                     std::string(to_sentence(claims.error())));
  }
  auto fits = check_id_token(*claims, *algorithm, tokens.access_token, rules, wall_second());
  if (!fits) co_return failed(OidcError::bad_token, std::move(fits).error());
  co_return *std::move(claims);
}

// OpenID Connect Core section 5.3.
Task<Outcome<std::string>> RelyingParty::ask_user_info(const Discovered& found, const std::string& access_token,
                                                       const std::string& subject) {
  if (!found.metadata.userinfo_endpoint) {
    co_return failed(OidcError::bad_provider, "the provider has no UserInfo endpoint");
  }
  ClientRequest request(Method::get, *found.metadata.userinfo_endpoint);
  request.header("Authorization", "Bearer " + access_token).header("Accept", "application/json");
  Outcome<Answer> answer = co_await provider_.send(std::move(request));
  if (!answer) co_return failed(answer.error().error, "the UserInfo endpoint: " + answer.error().reason);
  const auto type = message::MediaTypeValue::parse(answer->content_type);
  const auto claims = from_json<Subject>(answer->body);
  if (answer->status != Status::ok || !type || !type->is("application/json") || !claims) {
    co_return failed(OidcError::bad_provider, "the UserInfo response is not 200 with JSON");
  }
  if (claims->sub != subject) {  // section 5.3.2: the token may have been substituted
    co_return failed(OidcError::bad_token, "the UserInfo response is that of another user");
  }
  co_return std::move(answer->body);
}

Task<Outcome<OidcLogin>> RelyingParty::finish_attempt(const Callback& callback, const Attempt& attempt) {
  const auto found = co_await provider_.discover();
  if (!found) co_return std::unexpected(found.error());
  const Discovered& known = **found;
  // RFC 9207 section 2.4: before the code, and for errors, too.
  const bool needs_iss = known.metadata.authorization_response_iss_parameter_supported.value_or(false);
  if (callback.iss.empty() ? needs_iss : callback.iss != options_.issuer) {
    co_return failed(OidcError::unknown_login, "the response is of another issuer: iss is missing or differs");
  }
  if (!callback.error.empty()) co_return std::unexpected(callback.refusal());
  if (callback.code.empty()) co_return failed(OidcError::bad_provider, "the response has neither a code nor an error");

  FormText form;
  form.add("grant_type", "authorization_code")
      .add("code", callback.code)
      .add("redirect_uri", options_.redirect_uri)
      .add("code_verifier", attempt.verifier);
  Outcome<TokenAnswer> tokens = co_await ask_tokens(known, std::move(form));
  if (!tokens) co_return std::unexpected(std::move(tokens).error());

  IdTokenRules rules{.client_id = options_.client_id,
                     .nonce = attempt.nonce,
                     .subject = std::nullopt,
                     .max_age = std::nullopt,
                     .leeway = options_.leeway};
  if (attempt.max_age) rules.max_age = std::chrono::seconds(*attempt.max_age);
  Outcome<auth::JwtClaims> claims = co_await verify(known, *tokens, rules);
  if (!claims) co_return std::unexpected(std::move(claims).error());

  Outcome<std::string> user_info = std::string();
  if (options_.user_info) user_info = co_await ask_user_info(known, tokens->access_token, claims->subject);
  if (!user_info) co_return std::unexpected(std::move(user_info).error());
  co_return OidcLogin{.claims = *std::move(claims),
                      .user_info = *std::move(user_info),
                      .tokens = tokens_of(*std::move(tokens)),
                      .return_to = local_path(attempt.return_to),
                      .spent = attempts_.spent(callback.state)};
}

}  // namespace volt::http::oidc
