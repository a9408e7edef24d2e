// SPDX-License-Identifier: MIT

#include "config/read/load.h"

#include <string_view>
#include <utility>

#include "config/read/internal/environment.h"
#include "config/read/internal/toml.h"

namespace volt::config {
namespace {

std::string file_in(const char* const* environment) {
  const std::string prefix = std::string(kFileVariable) + "=";
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    if (entry.starts_with(prefix)) return std::string(entry.substr(prefix.size()));
  }
  return "";
}

std::string lines(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) text.append(message).append("\n");
  return text;
}

ExitResult checked(const ConfigBuilder& config_builder, const Check& check) {
  const Diagnostics diagnostics = check ? check(config_builder.config()) : Diagnostics{};
  if (!diagnostics.problems.empty()) return {kExitUsage, lines(diagnostics.problems)};
  return {0, lines(config_builder.warnings()) + lines(diagnostics.warnings) + "the configuration is valid\n"};
}

// Adds a problem for each setting that must be set and is not, and, if there is none, for what check() of the program's
// own structs refuses.
void check_own(const LoadOptions& options, ConfigBuilder& config_builder) {
  for (std::size_t i = 0; i != options.settings.size(); ++i) {
    const Setting& setting = options.settings[i];
    if (!setting.extra().is_required || config_builder.has_source(i)) continue;
    config_builder.add_problem(std::string(setting.key()) + ": is missing; set it in the configuration file, by " +
                               setting.variable() + " or by " + setting.flag());
  }
  if (!config_builder.problems().empty()) return;
  for (std::size_t i = 0; i != options.tables.size(); ++i) {
    for (const auto& [key, text] : options.tables[i].check(config_builder.values().own[i])) {
      const Setting* setting = find_setting(options.settings, key);
      const std::string place =
          setting == nullptr ? key : config_builder.place(static_cast<std::size_t>(setting - options.settings.data()));
      config_builder.add_problem(place + ": " + text);
    }
  }
}

std::vector<std::any> defaults_of(std::span<const OwnTable> tables) {
  std::vector<std::any> own;
  for (const OwnTable& table : tables) own.push_back(table.value);
  return own;
}

}  // namespace

std::expected<Loaded, ExitResult> load(const LoadOptions& options, Config defaults, int argc, const char* const* argv,
                                       const char* const* environment, const Check& check) {
  const auto flags = read_flags(options.settings, options.program, argc, argv);
  if (!flags) return std::unexpected(flags.error());
  ConfigBuilder config_builder(options.settings, std::move(defaults), defaults_of(options.tables));
  if (!options.assign_own) config_builder.ignore_own();
  apply_platform_defaults(environment, config_builder);
  const std::string file = flags->file.empty() ? file_in(environment) : flags->file;
  if (!file.empty()) read_toml_file(file, config_builder);
  read_environment(environment, config_builder);
  assign_flags(*flags, config_builder);
  if (options.assign_own && flags->command != Flags::Command::print_config) check_own(options, config_builder);
  if (!config_builder.problems().empty())
    return std::unexpected(ExitResult{kExitUsage, lines(config_builder.problems())});
  switch (flags->command) {
    case Flags::Command::print_config:
      return std::unexpected(ExitResult{0, show_toml(config_builder)});
    case Flags::Command::check_config:
      return std::unexpected(checked(config_builder, check));
    case Flags::Command::check_health:
      return Loaded{std::move(config_builder), true};
    case Flags::Command::serve:
      return Loaded{std::move(config_builder), false};
  }
  std::unreachable();
}

}  // namespace volt::config
