// SPDX-License-Identifier: MIT

#include "http/oidc/internal/callback.h"

#include <algorithm>
#include <utility>

#include "http/web/query_fields.h"

namespace volt::http::oidc {

std::optional<Callback> Callback::parse(std::string_view query) {
  const auto fields = web::parse_query_fields(query);
  if (!fields) return std::nullopt;
  Callback callback;
  const std::pair<std::string_view, std::string*> members[] = {{"state", &callback.state},
                                                               {"code", &callback.code},
                                                               {"iss", &callback.iss},
                                                               {"error", &callback.error},
                                                               {"error_description", &callback.error_description}};
  for (const auto& [name, value] : *fields) {
    const auto* const member = std::ranges::find(members, name, &std::pair<std::string_view, std::string*>::first);
    if (member == std::end(members)) continue;
    if (!member->second->empty()) return std::nullopt;
    *member->second = value;
  }
  return callback;
}

Failure Callback::refusal() const {
  constexpr std::string_view kOfProvider[] = {"invalid_request", "unauthorized_client",   "unsupported_response_type",
                                              "invalid_scope",   "request_not_supported", "request_uri_not_supported"};
  const std::string name = harmless(error);
  const std::string description = harmless(error_description);
  const std::string reason = "the provider refused: " + name + ": " + description;
  if (name == "server_error" || name == "temporarily_unavailable") return {OidcError::unavailable, reason};
  if (std::ranges::find(kOfProvider, name) != std::end(kOfProvider)) return {OidcError::bad_provider, reason};
  return {OidcError::refused_login, reason,
          "the identity provider refused the login: " + (description.empty() ? name : description)};
}

std::string harmless(std::string_view text) {
  constexpr std::size_t kBytesMax = 256;
  const auto is_allowed = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  return text.size() <= kBytesMax && std::ranges::all_of(text, is_allowed) ? std::string(text) : std::string();
}

}  // namespace volt::http::oidc
