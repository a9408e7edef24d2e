// SPDX-License-Identifier: MIT

#include "http/oidc/internal/id_token.h"

#include <algorithm>
#include <span>
#include <utility>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "crypto/constant_time_equal.h"
#include "crypto/digest.h"
#include "http/json/json.h"

namespace volt::http::oidc {
namespace {

using auth::JwtAlgorithm;
using auth::JwtClaims;
using auth::JwtError;

// The claims that JwtClaims lacks. Their names are those of the token.
struct IdTokenClaims {
  std::optional<std::string> azp;
  std::optional<std::string> nonce;
  std::optional<std::string> at_hash;
  std::optional<double> auth_time;
};

std::string left_half(std::span<const std::byte> digest) {
  return crypto::base64url_encode(digest.first(digest.size() / 2));
}

// Items 3 to 5 of section 3.1.3.7. A token for other clients, too, is refused, because this client trusts none.
bool is_for(std::string_view client_id, const JwtClaims& claims, const IdTokenClaims& more) {
  const auto is_ours = [client_id](const std::string& one) { return one == client_id; };
  return std::ranges::all_of(claims.audience, is_ours) && (!more.azp || *more.azp == client_id);
}

bool is_recent(const IdTokenClaims& more, const IdTokenRules& rules, std::chrono::sys_seconds now) {
  if (!rules.max_age) return true;
  if (!more.auth_time) return false;
  const auto bound = *rules.max_age + rules.leeway;
  return static_cast<double>(now.time_since_epoch().count()) - *more.auth_time <= static_cast<double>(bound.count());
}

}  // namespace

std::expected<JwtAlgorithm, std::string> algorithm_of(std::string_view token, const OidcOptions& options) {
  const auto json = crypto::base64url_decode(token.substr(0, token.find('.')));
  const auto header = json ? auth::parse_jwt_header(crypto::as_text(*json)) : std::nullopt;
  if (!header) return std::unexpected("the ID token is malformed");
  const auto algorithm = auth::find_algorithm(header->algorithm);
  if (!algorithm || std::ranges::find(options.algorithms, *algorithm) == options.algorithms.end()) {
    return std::unexpected("the algorithm of the ID token is not allowed: " + header->algorithm);
  }
  return *algorithm;
}

std::expected<void, std::string> check_id_token(const JwtClaims& claims, JwtAlgorithm algorithm,
                                                std::string_view access_token, const IdTokenRules& rules,
                                                std::chrono::sys_seconds now) {
  constexpr std::size_t kSubjectBytesMax = 255;  // OpenID Connect Core section 2
  const auto more = from_json<IdTokenClaims>(claims.payload);
  if (!more) return std::unexpected("the ID token has a claim of a wrong type: " + more.error().path);
  if (claims.subject.empty() || claims.subject.size() > kSubjectBytesMax) {
    return std::unexpected("sub of the ID token is missing or too long");
  }
  if (!claims.issued_at) return std::unexpected("iat of the ID token is missing");
  if (!is_for(rules.client_id, claims, *more)) return std::unexpected("the ID token is for another client");
  if (rules.nonce && (!more->nonce || !crypto::constant_time_equal(*more->nonce, *rules.nonce))) {
    return std::unexpected("the ID token is of another login: its nonce differs");
  }
  if (rules.subject && claims.subject != *rules.subject) {
    return std::unexpected("the ID token is that of another user");
  }
  if (more->at_hash && *more->at_hash != access_token_hash(access_token, algorithm)) {
    return std::unexpected("the access token is not that of the ID token: at_hash differs");
  }
  if (!is_recent(*more, rules, now)) return std::unexpected("the user's authentication is older than max_age");
  return {};
}

std::string access_token_hash(std::string_view access_token, JwtAlgorithm algorithm) {
  switch (algorithm) {
    case JwtAlgorithm::hs256:
    case JwtAlgorithm::rs256:
    case JwtAlgorithm::ps256:
    case JwtAlgorithm::es256:
      return left_half(crypto::sha256(access_token));
    case JwtAlgorithm::hs384:
    case JwtAlgorithm::rs384:
    case JwtAlgorithm::es384:
      return left_half(crypto::sha384(access_token));
    case JwtAlgorithm::hs512:
    case JwtAlgorithm::rs512:
    case JwtAlgorithm::es512:
    case JwtAlgorithm::eddsa:  // Ed25519 hashes with SHA-512: RFC 8032 section 5.1
      return left_half(crypto::sha512(access_token));
  }
  std::unreachable();
}

std::string_view to_sentence(JwtError error) noexcept {
  switch (error) {
    case JwtError::too_long:
      return "the ID token is too long";
    case JwtError::malformed:
      return "the ID token is malformed";
    case JwtError::critical:
      return "the ID token has a critical extension";
    case JwtError::wrong_type:
      return "the type of the ID token is wrong";
    case JwtError::unknown_key:
      return "the key of the ID token is not published";
    case JwtError::wrong_algorithm:
      return "the algorithm of the ID token is not that of its key";
    case JwtError::bad_signature:
      return "the signature of the ID token is wrong";
    case JwtError::expired:
      return "the ID token has expired";
    case JwtError::no_expiry:
      return "exp of the ID token is missing";
    case JwtError::not_yet_valid:
      return "the ID token is not valid yet: the clocks differ";
    case JwtError::wrong_issuer:
      return "the ID token is of another issuer";
    case JwtError::wrong_audience:
      return "the ID token is for another client";
    case JwtError::no_keys:
      return "the provider's keys are unavailable";
  }
  std::unreachable();
}

}  // namespace volt::http::oidc
