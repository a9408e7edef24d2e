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

// Kubernetes makes such variables for a Service called shop: SHOP_PORT=tcp://10.0.0.1:80, SHOP_SERVICE_HOST,
// SHOP_SERVICE_PORT_HTTP, SHOP_PORT_80_TCP_ADDR and so on. The value of the first cannot be meant for a setting; the
// others may be those of settings.
bool is_service_address(const Variable& variable) {
  const auto begins = [&](std::string_view scheme) { return variable.value.starts_with(scheme); };
  return variable.name.ends_with("_PORT") && (begins("tcp://") || begins("udp://") || begins("sctp://"));
}

bool is_service_link(std::string_view name) {
  constexpr std::string_view kPort = "_PORT_";
  const std::size_t port = name.find(kPort);
  const bool has_number = port != std::string_view::npos && port + kPort.size() < name.size() &&
                          name[port + kPort.size()] >= '0' && name[port + kPort.size()] <= '9';
  return has_number || name.ends_with("_SERVICE_HOST") || name.contains("_SERVICE_PORT");
}

// Returns how the variables of each table begin: "VOLT_SERVER_", and "SHOP_" for the program's own [shop].
std::vector<std::string> table_prefixes(Settings settings) {
  std::vector<std::string> prefixes;
  for (const Setting& setting : settings) {
    if (setting.section().empty()) continue;
    const std::string variable = setting.variable();
    const std::size_t volt = setting.extra().is_own ? 0 : kVariablePrefix.size();
    std::string prefix = variable.substr(0, volt + setting.key().find('.') + 1);
    if (prefixes.empty() || prefixes.back() != prefix) prefixes.push_back(std::move(prefix));
  }
  return prefixes;
}

void assign(const Setting& setting, const Variable& variable, ConfigBuilder& config_builder) {
  RawValue found{RawValue::Notation::untyped, {std::string(variable.value)}};
  if (setting.is_list()) found.items = split_list(variable.value);
  const std::string name(variable.name);
  config_builder.assign(setting, found, name, name);
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
  const Settings settings = config_builder.settings();
  std::vector<std::string> known{kFileVariable};
  for (const Setting& setting : settings) known.push_back(setting.variable());
  const std::vector<Variable> given = variables(environment);
  for (const Setting& setting : settings) {
    const std::string_view also = setting.extra().also;
    for (const Variable& variable : given) {
      if (variable.name == also && !also.empty()) assign(setting, variable, config_builder);
    }
  }
  const std::vector<std::string> prefixes = table_prefixes(settings);
  for (const Variable& variable : given) {
    const std::string name(variable.name);
    if (name == kFileVariable || is_service_address(variable)) continue;
    const auto index = static_cast<std::size_t>(std::ranges::find(known, name) - known.begin());
    if (index != known.size()) {
      assign(settings[index - 1], variable, config_builder);
      continue;
    }
    if (is_service_link(name)) continue;
    const bool of_table = std::ranges::any_of(prefixes, [&](const auto& prefix) { return name.starts_with(prefix); });
    if (!of_table && !name.starts_with(kVariablePrefix)) continue;
    const std::string meant = suggestion(name, known);
    if (of_table || !meant.empty()) config_builder.add_warning(name + ": no such key" + meant);
  }
}

}  // namespace volt::config
