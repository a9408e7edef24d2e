// SPDX-License-Identifier: MIT

#include "http/oidc/internal/attempt.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "crypto/random.h"
#include "http/json/json.h"
#include "http/message/cookie.h"

namespace volt::http::oidc {
namespace {

SetCookie make_attempt_cookie(const OidcOptions& options, const std::string& name, std::string_view value,
                              std::chrono::seconds age) {
  SetCookie cookie(name, value);
  // Lax: the callback is a navigation that the provider's site starts.
  cookie.secure(options.secure).same_site(SameSite::lax).max_age(age);
  return cookie;
}

constexpr std::size_t kStateBytes = 16;

bool is_state(std::string_view text) {
  const auto bytes = crypto::base64url_decode(text);
  return bytes && bytes->size() == kStateBytes;
}

std::string random_text(std::size_t bytes) {
  std::vector<std::byte> random(bytes);
  crypto::fill_random(random);
  return crypto::base64url_encode(random);
}

}  // namespace

Attempt Attempt::make(std::string return_to, std::optional<std::chrono::seconds> max_age) {
  constexpr std::size_t kVerifierBytes = 32;  // as RFC 7636 section 4.1 recommends
  Attempt attempt{.nonce = random_text(16), .verifier = random_text(kVerifierBytes), .return_to = std::move(return_to)};
  if (max_age) attempt.max_age = max_age->count();
  return attempt;
}

std::string new_state() { return random_text(kStateBytes); }

std::string Attempt::challenge() const { return crypto::base64url_encode(crypto::sha256(verifier)); }

Attempts::Attempts(const OidcOptions& options) : options_(options) {
  static_cast<void>(spent("state").to_string());  // an invalid cookie throws here
}

std::string Attempts::name(std::string_view state) const { return options_.cookie + "-" + std::string(state); }

void Attempts::save(const Attempt& attempt, std::string_view state, const Request& request, Response& response) const {
  const std::string prefix = name("");
  std::vector<std::string> pending;  // browsers send the cookies in the order of their creation: RFC 6265 section 5.4
  for (const std::string_view line : request.headers().all("cookie")) {
    for (const auto& [other, value] : message::CookiePairs(line)) {
      if (!other.starts_with(prefix)) continue;
      const std::string_view state_of_other = other.substr(prefix.size());
      if (is_state(state_of_other)) pending.emplace_back(state_of_other);
    }
  }
  for (std::size_t i = 0; i + kPendingMax <= pending.size(); ++i) response.cookie(spent(pending[i]));
  const std::string value = options_.keys.encrypt(name(state), to_json(attempt), options_.login_time);
  response.cookie(make_attempt_cookie(options_, name(state), value, options_.login_time));
}

std::optional<Attempt> Attempts::find(std::string_view state, const Request& request) const {
  const auto cookie = request.cookie(name(state));
  const auto text = cookie ? options_.keys.decrypt(name(state), *cookie) : std::unexpected(cookies::SealError::forged);
  auto attempt = text ? from_json<Attempt>(*text) : std::unexpected(JsonError{});
  if (!attempt) return std::nullopt;
  return *std::move(attempt);
}

SetCookie Attempts::spent(std::string_view state) const {
  return make_attempt_cookie(options_, name(state), "", std::chrono::seconds(0));
}

}  // namespace volt::http::oidc
