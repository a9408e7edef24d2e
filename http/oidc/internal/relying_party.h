// SPDX-License-Identifier: MIT

// RelyingParty: the steps of OidcClient (http/oidc/oidc_client.h), with failures as values.
//
// Threads: any task. Lifetime: must outlive its calls.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/auth/jwt.h"
#include "http/oidc/internal/attempt.h"
#include "http/oidc/internal/callback.h"
#include "http/oidc/internal/failure.h"
#include "http/oidc/internal/form_text.h"
#include "http/oidc/internal/id_token.h"
#include "http/oidc/internal/provider.h"
#include "http/oidc/internal/token_endpoint.h"
#include "http/oidc/oidc_client.h"
#include "http/oidc/oidc_options.h"

namespace volt::http::oidc {

class RelyingParty {
 public:
  // Throws std::invalid_argument like the constructor of OidcClient.
  RelyingParty(std::shared_ptr<HttpClient> client, OidcOptions options);
  RelyingParty(const RelyingParty&) = delete;
  RelyingParty& operator=(const RelyingParty&) = delete;

  [[nodiscard]] const OidcOptions& options() const noexcept { return options_; }

  [[nodiscard]] Task<Outcome<Response>> begin(const Request& request, OidcBegin begin);
  [[nodiscard]] Task<Outcome<OidcLogin>> finish(const Request& request);
  [[nodiscard]] Task<Outcome<OidcTokens>> refresh(std::string refresh_token, std::string subject);
  [[nodiscard]] Task<std::optional<std::string>> logout_uri(std::string id_token, std::string return_to);

 private:
  // The parameters of the authorization request: OpenID Connect Core section 3.1.2.1, RFC 7636 section 4.3.
  [[nodiscard]] FormText authorization(const OidcBegin& begin, const Attempt& attempt, std::string_view state) const;
  [[nodiscard]] Task<Outcome<OidcLogin>> finish_attempt(const Callback& callback, const Attempt& attempt);
  [[nodiscard]] Task<Outcome<TokenAnswer>> ask_tokens(const Discovered& found, FormText form);
  [[nodiscard]] Task<Outcome<auth::JwtClaims>> verify(const Discovered& found, const TokenAnswer& tokens,
                                                      IdTokenRules rules);
  [[nodiscard]] Task<Outcome<std::string>> ask_user_info(const Discovered& found, const std::string& access_token,
                                                         const std::string& subject);

  const OidcOptions options_;
  const Attempts attempts_;
  Provider provider_;
};

}  // namespace volt::http::oidc
