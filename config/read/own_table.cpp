// SPDX-License-Identifier: MIT

#include "config/read/own_table.h"

#include <algorithm>
#include <map>

namespace volt::config {
namespace {

std::string place_of(const OwnTable& table) {
  return std::string(table.where.file_name()) + ":" + std::to_string(table.where.line()) + ": settings \"" +
         table.name + "\": ";
}

bool is_table_name(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && is_lower(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

// Whether Volt has settings of its own with this name, or environment variables.
bool is_taken(std::string_view name) {
  if (name == "volt") return true;
  return std::ranges::any_of(
      all_settings(), [&](const Setting& setting) { return setting.key().substr(0, setting.key().find('.')) == name; });
}

}  // namespace

std::vector<std::string> mistakes_of(const std::vector<OwnTable>& tables) {
  std::vector<std::string> mistakes;
  std::map<std::string, std::string_view> names;
  for (const OwnTable& table : tables) {
    if (!is_table_name(table.name))
      mistakes.push_back(place_of(table) + "the name must consist of lower-case letters, digits and _");
    if (is_taken(table.name)) mistakes.push_back(place_of(table) + "Volt uses this name; choose another one");
    for (const Setting& setting : table.settings) {
      const auto [other, is_new] = names.try_emplace(setting.variable(), setting.key());
      if (is_new) continue;
      mistakes.push_back(place_of(table) + std::string(setting.key()) + " and " + std::string(other->second) +
                         " would both be set by " + other->first + "; rename one of them");
    }
  }
  return mistakes;
}

std::vector<Setting> settings_with(const std::vector<OwnTable>& tables) {
  const Settings volt = all_settings();
  // Keys without a table must precede all tables of a TOML file.
  const auto first_table =
      std::ranges::find_if(volt, [](const Setting& setting) { return !setting.section().empty(); });
  std::vector<Setting> all(volt.begin(), first_table);
  for (const OwnTable& table : tables) all.insert(all.end(), table.settings.begin(), table.settings.end());
  all.insert(all.end(), first_table, volt.end());
  return all;
}

void add_refusals(const std::string& prefix, std::vector<Invalid> refused, std::vector<Invalid>& all) {
  for (Invalid& invalid : refused) {
    std::ranges::replace(invalid.member, '/', '.');
    all.emplace_back(invalid.member.empty() ? prefix : prefix + "." + invalid.member, std::move(invalid.text));
  }
}

}  // namespace volt::config
