// SPDX-License-Identifier: MIT

#include "config/read/internal/setting.h"

#include <algorithm>

namespace volt::config {
namespace {

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string_view Setting::section() const noexcept {
  const std::size_t dot = key_.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : key_.substr(0, dot);
}

std::string_view Setting::name() const noexcept { return key_.substr(key_.rfind('.') + 1); }

std::string Setting::variable() const {
  std::string name(kVariablePrefix);
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
