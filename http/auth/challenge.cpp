// SPDX-License-Identifier: MIT

#include "http/auth/challenge.h"

#include <stdexcept>

#include "http/message/ascii.h"

namespace volt::http::auth {
namespace {

void require_token(std::string_view name) {
  if (!message::is_token(name)) throw std::invalid_argument("a challenge's scheme or parameter name is not a token");
}

}  // namespace

Challenge::Challenge(std::string_view scheme) : text_(scheme) { require_token(scheme); }

Challenge& Challenge::parameter(std::string_view name, std::string_view value) {
  require_token(name);
  if (!message::is_field_value(value)) throw std::invalid_argument("a challenge's value contains a control character");
  text_ += has_parameter_ ? ", " : " ";
  has_parameter_ = true;
  text_ += name;
  text_ += "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
  return *this;
}

Challenge basic_challenge(std::string_view realm) {
  return Challenge("Basic").parameter("realm", realm).parameter("charset", "UTF-8");
}

}  // namespace volt::http::auth
