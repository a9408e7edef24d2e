// SPDX-License-Identifier: MIT

// libFuzzer: parsed cookies contain no separators, and cookies accepted by SetCookie are read back unchanged.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "http/cookies/cookies.h"
#include "http/message/ascii.h"
#include "http/message/cookie.h"
#include "runtime/base/check.h"

namespace volt::http {
namespace {

bool lies_in(std::string_view part, std::string_view whole) {
  const std::less_equal<const char*> before;
  return before(whole.data(), part.data()) && before(part.data() + part.size(), whole.data() + whole.size());
}

void check_line(std::string_view line) {
  std::size_t pairs = 0;
  for (const auto& [name, value] : message::CookiePairs(line)) {
    ++pairs;
    VOLT_CHECK(lies_in(name, line) && lies_in(value, line));
    VOLT_CHECK(!name.empty() && message::trim_ows(name) == name);
    VOLT_CHECK(name.find_first_of("=;") == std::string_view::npos && value.find(';') == std::string_view::npos);
    VOLT_CHECK(message::find_cookie(line, name).has_value());
  }
  VOLT_CHECK(pairs <= static_cast<std::size_t>(std::ranges::count(line, '=')));
}

void check_set_cookie(std::string_view name, std::string_view value, std::string_view path) {
  std::string field;
  try {
    field = SetCookie(name, value).path(path).to_string();
  } catch (const std::invalid_argument&) {
    return;
  }
  VOLT_CHECK(message::is_field_value(field));
  VOLT_CHECK(message::find_cookie(field, name) == value);
  VOLT_CHECK(std::ranges::count(field, ';') == 4);  // Path, Secure, HttpOnly, SameSite
}

}  // namespace
}  // namespace volt::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http;
  if (size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_line(text);
  const std::size_t name_end = std::min(text.find('\n'), size);
  const std::string_view rest = text.substr(std::min(name_end + 1, size));
  const std::size_t value_end = std::min(rest.find('\n'), rest.size());
  check_set_cookie(text.substr(0, name_end), rest.substr(0, value_end),
                   rest.substr(std::min(value_end + 1, rest.size())));
  return 0;
}
