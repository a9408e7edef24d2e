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

}  // namespace

std::expected<Loaded, ExitResult> load(Settings settings, Config defaults, int argc, const char* const* argv,
                                       const char* const* environment, const Check& check) {
  const auto flags = read_flags(settings, argc, argv);
  if (!flags) return std::unexpected(flags.error());
  ConfigBuilder config_builder(settings, std::move(defaults));
  apply_platform_defaults(environment, config_builder);
  const std::string file = flags->file.empty() ? file_in(environment) : flags->file;
  if (!file.empty()) read_toml_file(file, config_builder);
  read_environment(environment, config_builder);
  assign_flags(*flags, config_builder);
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
