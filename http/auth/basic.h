// Basic authentication (RFC 7617): a user and a password, readable by all who see the request; over TLS only.
//
// Threads: values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt::http::auth {

struct BasicCredentials {
  std::string user;  // without a colon
  std::string password;

  // In a time that tells neither what is right of them nor how long the right ones are.
  bool equal(std::string_view right_user, std::string_view right_password) const;
};

// Of an Authorization field's value. Nothing if the scheme is another one, the base64 is not strict, there is no colon,
// or control characters are within (RFC 7617 section 2). The bytes are as they came: UTF-8, if the challenge asked for
// it and the client knows how.
std::optional<BasicCredentials> parse_basic(std::string_view authorization);

}  // namespace volt::http::auth
