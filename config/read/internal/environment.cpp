// SPDX-License-Identifier: MIT

#include "config/read/internal/environment.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "config/read/internal/nearest.h"

namespace volt::config {
namespace {

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  for (;;) {
    const std::size_t comma = text.find(',');
    items.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

struct Variable {
  std::string_view name;
  std::string_view value;
};

std::vector<Variable> variables(const char* const* environment) {
  std::vector<Variable> found;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals + 1 == entry.size()) continue;
    found.push_back({entry.substr(0, equals), entry.substr(equals + 1)});
  }
  return found;
}

}  // namespace

void apply_platform_defaults(const char* const* environment, ConfigBuilder& config_builder) {
  for (const Variable& variable : variables(environment)) {
    for (const Setting& setting : config_builder.settings()) {
      if (setting.extra().where != variable.name) continue;
      const std::string name(variable.name);
      config_builder.assign(setting, {RawValue::Notation::untyped, {std::string(setting.extra().there)}}, name, name);
    }
  }
}

void read_environment(const char* const* environment, ConfigBuilder& config_builder) {
  std::vector<std::string> known{kFileVariable};
  for (const Setting& setting : config_builder.settings()) known.push_back(setting.variable());
  for (const auto& [name, value] : variables(environment)) {
    if (!name.starts_with(kVariablePrefix) || name == kFileVariable) continue;
    const auto index = static_cast<std::size_t>(std::ranges::find(known, name) - known.begin());
    if (index == known.size()) {
      const std::string meant = suggestion(name, known);
      if (!meant.empty()) config_builder.add_warning(std::string(name) + ": no such key" + meant);
      continue;
    }
    const Setting& setting = config_builder.settings()[index - 1];
    RawValue found{RawValue::Notation::untyped, {std::string(value)}};
    if (setting.is_list()) found.items = split_list(value);
    config_builder.assign(setting, found, std::string(name), std::string(name));
  }
}

}  // namespace volt::config
