// SPDX-License-Identifier: MIT

// Callback: the parameters of an authentication response (OpenID Connect Core sections 3.1.2.5 and 3.1.2.6).
//
// Threads: values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/oidc/internal/failure.h"

namespace volt::http::oidc {

// A missing parameter is empty.
struct Callback {
  std::string state;
  std::string code;
  std::string iss;  // RFC 9207
  std::string error;
  std::string error_description;

  // Returns nullopt if there are too many fields, or if one of these is repeated (RFC 6749 section 3.1).
  [[nodiscard]] static std::optional<Callback> parse(std::string_view query);
  // Returns the meaning of `error`: RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6.
  [[nodiscard]] Failure refusal() const;
};

// Returns `text` if it consists of the characters of an error_description and has at most 256 of them; otherwise an
// empty text (RFC 6749 sections 4.1.2.1 and 5.2).
[[nodiscard]] std::string harmless(std::string_view text);

}  // namespace volt::http::oidc
