// SPDX-License-Identifier: MIT

#include "http/oidc/oidc_client.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/oidc/internal/oidc_log.h"
#include "http/oidc/internal/relying_party.h"
#include "http/web/redirect.h"

namespace volt::http {
namespace {

std::string_view text_for_client(OidcError error) noexcept {
  switch (error) {
    case OidcError::unavailable:
      return "the identity provider is unavailable";
    case OidcError::bad_provider:
    case OidcError::bad_token:
      return "the login failed, because the identity provider and this service do not fit together";
    case OidcError::unknown_login:
      return "this browser has not begun this login, or too long ago: log in again";
    case OidcError::refused_code:
      return "this login has ended or was used before: log in again";
    case OidcError::refused_login:
      return "the identity provider refused the login";
  }
  std::unreachable();
}

// Errors of the client's side are not the operator's concern, and any client can cause them.
LogLevel level_of(OidcError error) noexcept {
  const bool of_client =
      error == OidcError::unknown_login || error == OidcError::refused_code || error == OidcError::refused_login;
  return of_client ? LogLevel::info : LogLevel::warning;
}

// Logs a failure and throws it.
[[noreturn]] void fail_login(const OidcOptions& options, const oidc::Failure& failure) {
  oidc::kOidcLog(level_of(failure.error), "a login or a refresh failed",
                 {{"issuer", options.issuer}, {"error", failure.reason}});
  OidcFailure thrown(failure.error,
                     failure.detail.empty() ? std::string(text_for_client(failure.error)) : failure.detail);
  thrown.header("Cache-Control", "no-store");
  throw thrown;
}

}  // namespace

Response OidcLogin::redirect() const {
  Response response = http::redirect(return_to);
  response.cookie(spent).header("Cache-Control", "no-store");
  return response;
}

OidcClient::OidcClient(std::shared_ptr<HttpClient> client, OidcOptions options) {
  if (!client) throw std::invalid_argument("OidcClient: the client is null");
  party_ = std::make_shared<oidc::RelyingParty>(std::move(client), std::move(options));
}

Task<Response> OidcClient::begin(const Request& request, OidcBegin begin) const {
  const std::shared_ptr<oidc::RelyingParty> party = party_;
  oidc::Outcome<Response> response = co_await party->begin(request, std::move(begin));
  if (!response) fail_login(party->options(), response.error());
  co_return *std::move(response);
}

Task<OidcLogin> OidcClient::finish(const Request& request, Session& session) const {
  const std::shared_ptr<oidc::RelyingParty> party = party_;
  oidc::Outcome<OidcLogin> login = co_await party->finish(request);
  if (!login) fail_login(party->options(), login.error());
  session.rotate();
  co_return *std::move(login);
}

Task<OidcTokens> OidcClient::refresh(std::string refresh_token, std::string subject) const {
  const std::shared_ptr<oidc::RelyingParty> party = party_;
  oidc::Outcome<OidcTokens> tokens = co_await party->refresh(std::move(refresh_token), std::move(subject));
  if (!tokens) fail_login(party->options(), tokens.error());
  co_return *std::move(tokens);
}

Task<std::optional<std::string>> OidcClient::logout_uri(std::string id_token, std::string return_to) const {
  const std::shared_ptr<oidc::RelyingParty> party = party_;
  co_return co_await party->logout_uri(std::move(id_token), std::move(return_to));
}

}  // namespace volt::http
