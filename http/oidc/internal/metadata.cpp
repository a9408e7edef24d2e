// SPDX-License-Identifier: MIT

#include "http/oidc/internal/metadata.h"

#include <algorithm>

#include "http/json/json.h"

namespace volt::http::oidc {

std::string metadata_uri(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return std::string(issuer) + "/.well-known/openid-configuration";
}

bool is_endpoint(std::string_view uri, bool allow_http) noexcept {
  const bool has_scheme = uri.starts_with("https://") || (allow_http && uri.starts_with("http://"));
  return has_scheme && std::ranges::all_of(uri, [](char c) { return c > ' ' && c < '\x7f' && c != '#' && c != '"'; });
}

std::expected<Metadata, std::string> parse_metadata(std::string_view json, std::string_view issuer, bool allow_http) {
  auto metadata = from_json<Metadata>(json);
  if (!metadata) {
    return std::unexpected("the metadata is malformed at '" + metadata.error().path + "': " + metadata.error().detail);
  }
  // Otherwise a provider could take the place of another one (section 7.2).
  if (metadata->issuer != issuer) {
    return std::unexpected("the metadata is that of another issuer: '" + metadata->issuer + "'");
  }
  const std::string* const endpoints[] = {&metadata->authorization_endpoint, &metadata->token_endpoint,
                                          &metadata->jwks_uri,
                                          metadata->userinfo_endpoint ? &*metadata->userinfo_endpoint : nullptr,
                                          metadata->end_session_endpoint ? &*metadata->end_session_endpoint : nullptr};
  for (const std::string* endpoint : endpoints) {
    if (endpoint != nullptr && !is_endpoint(*endpoint, allow_http)) {
      return std::unexpected("the metadata has an endpoint that is not an https URI: '" + *endpoint + "'");
    }
  }
  const auto& types = metadata->response_types_supported;
  if (std::ranges::find(types, "code") == types.end()) {
    return std::unexpected("the provider does not support the authorization code flow");
  }
  return *std::move(metadata);
}

}  // namespace volt::http::oidc
