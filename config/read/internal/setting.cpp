// SPDX-License-Identifier: MIT

#include "config/read/internal/setting.h"

#include <algorithm>

namespace volt::config {
namespace {

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string_view Setting::section() const noexcept {
  const std::string_view whole = key_;
  const std::size_t dot = whole.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : whole.substr(0, dot);
}

std::string_view Setting::name() const noexcept { return key().substr(key_.rfind('.') + 1); }

std::string Setting::variable() const {
  std::string name(extra_.is_own ? "" : kVariablePrefix);
  for (const char c : key_) name += c == '.' ? '_' : upper(c);
  return name;
}

std::string Setting::flag() const {
  std::string name = "--";
  for (const char c : key_) name += c == '_' ? '-' : c;
  return name;
}

const Setting* find_setting(Settings settings, std::string_view key) noexcept {
  const auto found = std::ranges::find(settings, key, &Setting::key);
  return found == settings.end() ? nullptr : &*found;
}

}  // namespace volt::config
