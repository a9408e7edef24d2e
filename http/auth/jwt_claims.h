// SPDX-License-Identifier: MIT

// The contents of a JSON Web Token: the members of the header that a verifier needs (RFC 7515 section 4.1), and the
// registered claims (RFC 7519 section 4.1). Other members are skipped; no member may be repeated (RFC 7519 section 4).
//
// Threads: values and pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::auth {

// A missing claim is empty.
struct JwtClaims {
  std::string issuer;                 // iss
  std::string subject;                // sub
  std::vector<std::string> audience;  // aud, one or several.
  std::optional<std::chrono::sys_seconds> expires;
  std::optional<std::chrono::sys_seconds> not_before;
  std::optional<std::chrono::sys_seconds> issued_at;
  std::string id;                   // jti
  std::vector<std::string> scopes;  // scope (RFC 8693 section 4.2) and scp: words, or an array of strings.
  std::vector<std::string> roles;   // roles (RFC 9068 section 2.2.3.1), in the same forms.
  std::string payload;              // The JSON as received: from_json<MyClaims>(claims.payload).
};

struct JwtHeader {
  std::string algorithm;              // alg; always present.
  std::optional<std::string> key_id;  // kid
  std::string type;                   // typ
  bool critical = false;              // Whether crit is present.
};

// These functions parse the decoded header and the decoded payload. They return nullopt if the text is not a JSON
// object, if a member is of the wrong type, or if a member is repeated. A header must contain `alg`. Times are rounded
// down to whole seconds, and must lie in the years 1970 to 9999.
std::optional<JwtHeader> parse_jwt_header(std::string_view json);
std::optional<JwtClaims> parse_jwt_claims(std::string_view json);

}  // namespace volt::http::auth
