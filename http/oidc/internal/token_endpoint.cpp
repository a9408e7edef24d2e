// SPDX-License-Identifier: MIT

#include "http/oidc/internal/token_endpoint.h"

#include <algorithm>
#include <utility>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "http/json/json.h"
#include "http/message/ascii.h"
#include "http/message/percent.h"
#include "http/oidc/internal/callback.h"

namespace volt::http::oidc {
namespace {

struct TokenError {
  std::string error;
  std::optional<std::string> error_description;
};

OidcClientAuth method_of(const Metadata& metadata, const OidcOptions& options) {
  if (options.client_auth != OidcClientAuth::automatic) return options.client_auth;
  if (options.client_secret.empty()) return OidcClientAuth::none;
  if (!metadata.token_endpoint_auth_methods_supported) return OidcClientAuth::basic;
  const auto& methods = *metadata.token_endpoint_auth_methods_supported;
  const auto has = [&methods](std::string_view name) { return std::ranges::find(methods, name) != methods.end(); };
  return !has("client_secret_basic") && has("client_secret_post") ? OidcClientAuth::post : OidcClientAuth::basic;
}

// The id and the secret are form-encoded first: RFC 6749 section 2.3.1.
std::string basic_credentials_of(const OidcOptions& options) {
  const std::string pair =
      message::percent_encode(options.client_id) + ":" + message::percent_encode(options.client_secret);
  return "Basic " + crypto::base64_encode(crypto::as_bytes(pair));
}

}  // namespace

ClientRequest token_request(const Metadata& metadata, const OidcOptions& options, FormText form) {
  ClientRequest request(Method::post, metadata.token_endpoint);
  request.header("Accept", "application/json");
  switch (method_of(metadata, options)) {
    case OidcClientAuth::automatic:
    case OidcClientAuth::basic:
      request.header("Authorization", basic_credentials_of(options));
      break;
    case OidcClientAuth::post:
      form.add("client_id", options.client_id).add("client_secret", options.client_secret);
      break;
    case OidcClientAuth::none:
      form.add("client_id", options.client_id);
      break;
  }
  request.body(form.text(), "application/x-www-form-urlencoded");
  return request;
}

Outcome<TokenAnswer> read_tokens(const Answer& answer) {
  if (answer.status != Status::ok) {
    const auto error = from_json<TokenError>(answer.body);
    if (!error) {
      return failed(OidcError::bad_provider,
                    "the status of the token response is " + std::to_string(code(answer.status)));
    }
    const std::string reason = "the token endpoint refused: " + harmless(error->error) + ": " +
                               harmless(error->error_description.value_or(""));
    return failed(error->error == "invalid_grant" ? OidcError::refused_code : OidcError::bad_provider, reason);
  }
  auto tokens = from_json<TokenAnswer>(answer.body);
  if (!tokens) {
    return failed(OidcError::bad_provider, "the token response is malformed at '" + tokens.error().path + "'");
  }
  if (!message::equal_ignoring_case(tokens->token_type, "Bearer")) {
    return failed(OidcError::bad_provider, "the access token is not a bearer token");
  }
  return *std::move(tokens);
}

}  // namespace volt::http::oidc
