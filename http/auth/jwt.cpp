// SPDX-License-Identifier: MIT

#include "http/auth/jwt.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "http/message/ascii.h"

namespace volt::http::auth {
namespace {

struct Parts {
  std::string_view header, payload, signature;
  std::string_view signed_part;  // header "." payload
};

std::optional<Parts> split(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == last || token.find('.', first + 1) != last) return std::nullopt;  // Also if there is no dot.
  return Parts{token.substr(0, first), token.substr(first + 1, last - first - 1), token.substr(last + 1),
               token.substr(0, last)};
}

// Returns whether `type` names the media type `want`. RFC 7515 section 4.1.9: the prefix "application/" may be omitted
// if the rest contains no slash.
bool is_type(std::string_view type, std::string_view want) {
  constexpr std::string_view kPrefix = "application/";
  if (message::equal_ignoring_case(type.substr(0, kPrefix.size()), kPrefix)) type.remove_prefix(kPrefix.size());
  return message::equal_ignoring_case(type, want);
}

// Returns whether `key` may have signed the token. A key without an id is tried for all tokens. A token without an id
// may have been signed by any key.
bool may_be_of(const JwtHeader& header, const JwtKey& key) {
  return key.id().empty() || !header.key_id || *header.key_id == key.id();
}

}  // namespace

JwtVerifier::JwtVerifier(std::vector<JwtKey> keys, JwtOptions options)
    : keys_(std::move(keys)), options_(std::move(options)) {}

std::expected<JwtClaims, JwtError> JwtVerifier::verify(std::string_view token, std::chrono::sys_seconds now) const {
  if (token.size() > options_.token_bytes_max) return std::unexpected(JwtError::too_long);
  const auto parts = split(token);
  if (!parts) return std::unexpected(JwtError::malformed);
  if (auto checked = check_signature(parts->signed_part, parts->header, parts->signature); !checked) {
    return std::unexpected(checked.error());
  }
  const auto payload = crypto::base64url_decode(parts->payload);
  auto claims = payload ? parse_jwt_claims(crypto::as_text(*payload)) : std::nullopt;
  if (!claims) return std::unexpected(JwtError::malformed);
  if (auto checked = check_claims(*claims, now); !checked) return std::unexpected(checked.error());
  return std::move(*claims);
}

std::expected<void, JwtError> JwtVerifier::check_signature(std::string_view signed_part, std::string_view header_part,
                                                           std::string_view signature_part) const {
  const auto header_json = crypto::base64url_decode(header_part);
  const auto header = header_json ? parse_jwt_header(crypto::as_text(*header_json)) : std::nullopt;
  const auto signature = crypto::base64url_decode(signature_part);
  if (!header || !signature) return std::unexpected(JwtError::malformed);
  if (header->critical) return std::unexpected(JwtError::critical);
  if (!options_.type.empty() && !is_type(header->type, options_.type)) return std::unexpected(JwtError::wrong_type);

  JwtError error = JwtError::unknown_key;
  for (const JwtKey& key : keys_) {
    if (!may_be_of(*header, key)) continue;
    if (header->algorithm != algorithm_name(key.algorithm())) {
      if (error == JwtError::unknown_key) error = JwtError::wrong_algorithm;
      continue;
    }
    if (key.verify(crypto::as_bytes(signed_part), *signature)) return {};
    error = JwtError::bad_signature;
  }
  return std::unexpected(error);
}

std::expected<void, JwtError> JwtVerifier::check_claims(const JwtClaims& claims, std::chrono::sys_seconds now) const {
  const auto& leeway = options_.leeway;
  if (!claims.expires && options_.expiry_required) return std::unexpected(JwtError::no_expiry);
  if (claims.expires && now >= *claims.expires + leeway) return std::unexpected(JwtError::expired);
  if (claims.not_before && now + leeway < *claims.not_before) return std::unexpected(JwtError::not_yet_valid);
  if (claims.issued_at && now + leeway < *claims.issued_at) return std::unexpected(JwtError::not_yet_valid);

  if (!options_.issuer.empty() && claims.issuer != options_.issuer) return std::unexpected(JwtError::wrong_issuer);
  const bool for_us = options_.audience.empty()
                          ? claims.audience.empty()
                          : std::ranges::find(claims.audience, options_.audience) != claims.audience.end();
  if (!for_us) return std::unexpected(JwtError::wrong_audience);
  return {};
}

}  // namespace volt::http::auth
