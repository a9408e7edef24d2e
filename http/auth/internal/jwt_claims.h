// What a JSON Web Token says: the header's members that matter to who verifies (RFC 7515 section 4.1), and the claims
// that are registered (RFC 7519 section 4.1). Other members are skipped; none may stand twice (RFC 7519 section 4).
//
// Threads: values and pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::auth {

// A claim that is not there is empty.
struct JwtClaims {
  std::string issuer;                 // iss
  std::string subject;                // sub
  std::vector<std::string> audience;  // aud, one or several
  std::optional<std::chrono::sys_seconds> expires;
  std::optional<std::chrono::sys_seconds> not_before;
  std::optional<std::chrono::sys_seconds> issued_at;
  std::string id;       // jti
  std::string payload;  // the JSON as it came: from_json<MyClaims>(claims.payload)
};

struct JwtHeader {
  std::string algorithm;              // alg; always there
  std::optional<std::string> key_id;  // kid
  std::string type;                   // typ
  bool critical = false;              // crit is there
};

// Of the decoded parts. Nothing if one is no JSON object, a member is of the wrong type, or one stands twice. Times are
// whole seconds, fractions cut off, of the years 1970 to 9999.
std::optional<JwtHeader> parse_jwt_header(std::string_view json);
std::optional<JwtClaims> parse_jwt_claims(std::string_view json);

}  // namespace volt::http::auth
