// SPDX-License-Identifier: MIT

// Basic authentication (RFC 7617): the request contains a user name and a password in readable form, so use it over TLS
// only.
//
// Threads: values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/secret_bytes.h"

namespace volt::http::auth {

struct BasicCredentials {
  std::string user;  // Contains no colon.
  std::string password;

  ~BasicCredentials() { crypto::wipe(password); }

  // Returns whether user and password are the right ones. The time that it takes reveals neither which bytes match nor
  // the lengths of the right user and password.
  bool equal(std::string_view right_user, std::string_view right_password) const;
};

// Parses an Authorization value. Returns nullopt if the scheme is not Basic, if the base64 is malformed, if there is no
// colon, or if the text contains control characters (RFC 7617 section 2). The bytes are not converted: they are UTF-8
// if the challenge requested it and the client supports it.
std::optional<BasicCredentials> parse_basic(std::string_view authorization);

}  // namespace volt::http::auth
