// SPDX-License-Identifier: MIT

#include "http/auth/jwt_claims.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "http/auth/internal/members.h"

namespace volt::http::auth {
namespace {

using json::Reader;
using json::Step;

constexpr double kTimeMax = 253'402'300'799;  // The end of the year 9999.

template <class ReadMember>
bool read_object(std::string_view json, ReadMember read_member) {
  Reader reader(kJoseJson);
  return reader.parse(json) && read_members(reader, read_member);
}

// Reads a NumericDate (RFC 7519 section 2).
bool read_time(Reader& reader, std::optional<std::chrono::sys_seconds>& time) {
  double seconds = 0;
  if (!reader.read_number(seconds) || seconds < 0 || seconds > kTimeMax) return false;
  time.emplace(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
  return true;
}

bool read_audience(Reader& reader, std::vector<std::string>& audience) {
  if (reader.peek() == json::Kind::string) return reader.read_string(audience.emplace_back());
  Step step = reader.open_array();
  for (; step == Step::item; step = reader.next_element()) {
    if (!reader.read_string(audience.emplace_back())) return false;
  }
  return step == Step::end;
}

// Appends the words of a text that a space separates.
void append_words(std::string_view text, std::vector<std::string>& words) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Reads a text of words or an array of strings. Anything else, which other uses of the name may have, is skipped and
// grants nothing.
bool read_grants(Reader& reader, std::vector<std::string>& grants) {
  if (reader.peek() == json::Kind::string) {
    std::string text;
    if (!reader.read_string(text)) return false;
    append_words(text, grants);
    return true;
  }
  if (reader.peek() != json::Kind::array) return true;
  Step step = reader.open_array();
  for (; step == Step::item; step = reader.next_element()) {
    if (reader.peek() == json::Kind::string && !reader.read_string(grants.emplace_back())) return false;
  }
  return step == Step::end;
}

bool read_claim(Reader& reader, std::string_view name, JwtClaims& claims) {
  if (name == "iss") return reader.read_string(claims.issuer);
  if (name == "sub") return reader.read_string(claims.subject);
  if (name == "aud") return read_audience(reader, claims.audience);
  if (name == "exp") return read_time(reader, claims.expires);
  if (name == "nbf") return read_time(reader, claims.not_before);
  if (name == "iat") return read_time(reader, claims.issued_at);
  if (name == "jti") return reader.read_string(claims.id);
  if (name == "scope" || name == "scp") return read_grants(reader, claims.scopes);
  if (name == "roles") return read_grants(reader, claims.roles);
  return true;
}

bool read_header_member(Reader& reader, std::string_view name, JwtHeader& header) {
  if (name == "alg") return reader.read_string(header.algorithm);
  if (name == "kid") return reader.read_string(header.key_id.emplace());
  if (name == "typ") return reader.read_string(header.type);
  if (name == "crit") header.critical = true;
  return true;
}

}  // namespace

std::optional<JwtHeader> parse_jwt_header(std::string_view json) {
  JwtHeader header;
  const bool sound = read_object(
      json, [&header](Reader& reader, std::string_view name) { return read_header_member(reader, name, header); });
  if (!sound || header.algorithm.empty()) return std::nullopt;
  return header;
}

std::optional<JwtClaims> parse_jwt_claims(std::string_view json) {
  JwtClaims claims;
  const bool sound =
      read_object(json, [&claims](Reader& reader, std::string_view name) { return read_claim(reader, name, claims); });
  if (!sound) return std::nullopt;
  claims.payload = json;
  return claims;
}

}  // namespace volt::http::auth
