// SPDX-License-Identifier: MIT

// Challenge: the value of a WWW-Authenticate field (RFC 9110 section 11.6.1).
//
//   Challenge("Bearer").parameter("realm", "api").parameter("error", "invalid_token").text()
//   Bearer realm="api", error="invalid_token"
//
// Threads: values.
#pragma once

#include <string>
#include <string_view>

namespace volt::http::auth {

class Challenge {
 public:
  // Throws std::invalid_argument if `scheme` is not a token.
  explicit Challenge(std::string_view scheme);
  // Adds a parameter, whose value is always quoted. Throws std::invalid_argument if `name` is not a token, or if
  // `value` contains a control character.
  Challenge& parameter(std::string_view name, std::string_view value);

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  bool has_parameter_ = false;
};

// Returns a challenge for Basic credentials in UTF-8 (RFC 7617 section 2.1).
Challenge basic_challenge(std::string_view realm);

}  // namespace volt::http::auth
