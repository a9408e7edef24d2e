// SPDX-License-Identifier: MIT

#include "http/message/media_type_value.h"

#include <algorithm>
#include <array>
#include <span>

#include "http/message/ascii.h"
#include "http/message/parameters.h"

namespace volt::http::message {
namespace {

bool names_one_of(std::string_view name, std::span<const std::string_view> names) noexcept {
  for (const std::string_view other : names) {
    if (equal_ignoring_case(name, other)) return true;
  }
  return false;
}

bool acceptable(Parameters parameters) noexcept {
  std::array<std::string_view, MediaTypeValue::kParametersMax> names;
  std::size_t count = 0;
  while (const auto parameter = parameters.next()) {
    if (count == names.size() || names_one_of(parameter->name, {names.data(), count})) return false;
    names[count++] = parameter->name;
  }
  return !parameters.malformed();
}

}  // namespace

std::optional<MediaTypeValue> MediaTypeValue::parse(std::string_view text) noexcept {
  const std::size_t semicolon = std::min(text.find(';'), text.size());
  const std::string_view essence = trim_ows(text.substr(0, semicolon));
  const std::string_view parameters = text.substr(semicolon);
  const std::size_t slash = essence.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  if (!is_token(essence.substr(0, slash)) || !is_token(essence.substr(slash + 1))) return std::nullopt;
  if (!acceptable(Parameters(parameters))) return std::nullopt;
  return MediaTypeValue(essence, slash, parameters);
}

bool MediaTypeValue::is(std::string_view essence) const noexcept { return equal_ignoring_case(essence_, essence); }

bool MediaTypeValue::has_suffix(std::string_view suffix) const noexcept {
  const std::size_t plus = subtype().rfind('+');
  return plus != std::string_view::npos && equal_ignoring_case(subtype().substr(plus + 1), suffix);
}

std::optional<std::string> MediaTypeValue::parameter(std::string_view name) const {
  Parameters parameters(parameters_);
  while (const auto parameter = parameters.next()) {
    if (!equal_ignoring_case(parameter->name, name)) continue;
    return parameter->quoted ? without_escapes(parameter->value) : std::string(parameter->value);
  }
  return std::nullopt;
}

}  // namespace volt::http::message
