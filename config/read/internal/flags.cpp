// SPDX-License-Identifier: MIT

#include "config/read/internal/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "config/read/internal/nearest.h"

namespace volt::config {
namespace {

constexpr std::string_view kTlsDev = "tls.dev";

std::string names(const Setting& setting) {
  const std::string brief(setting.extra().short_flag);
  return brief.empty() ? setting.flag() : brief + "," + setting.flag();
}

ExitResult unknown(Settings settings, const std::string& argument) {
  std::vector<std::string> known{"--config",  "--print-config", "--check-config", "--check-health",
                                 "--tls-dev", "--help",         "--version"};
  for (const Setting& setting : settings) {
    known.push_back(setting.flag());
    if (!setting.extra().short_flag.empty()) known.emplace_back(setting.extra().short_flag);
  }
  const std::string name = argument.substr(0, argument.find('='));
  const bool is_flag = name.starts_with('-');
  const std::string meant = is_flag ? suggestion(name, known) : "";
  const std::string problem = in_quotes(name) + (is_flag ? ": no such flag" : ": unexpected argument");
  return {kExitUsage, problem + (meant.empty() ? "; see --help\n" : meant + "\n")};
}

std::string explanation(Settings settings, const ProgramName& program) {
  std::string text = program.description.empty() ? "A web server built with Volt." : program.description;
  text +=
      " Each key of the configuration file is also a flag and an environment variable: server.idle_timeout is "
      "--server.idle-timeout and VOLT_SERVER_IDLE_TIMEOUT";
  const auto own = std::ranges::find_if(settings, [](const Setting& setting) { return setting.extra().is_own; });
  if (own == settings.end()) return text += '.';
  return text.append(", ")
             .append(own->key())
             .append(" is ")
             .append(own->flag())
             .append(" and ")
             .append(own->variable()) += '.';
}

std::string version_line(const ProgramName& program) {
  if (program.version.empty()) return "Volt " VOLT_VERSION "\n";
  return program.name + (program.name.empty() ? "" : " ") + program.version + " (Volt " VOLT_VERSION ")\n";
}

// The text of a flag in --help: the description, or else what is valid.
std::string help_of(const Setting& setting) {
  std::string text(setting.description());
  if (text.empty()) text = "Takes " + setting.expected();
  if (setting.extra().is_required) text += " (required)";
  return text;
}

}  // namespace

std::expected<Flags, ExitResult> read_flags(Settings settings, const ProgramName& program, int argc,
                                            const char* const* argv) {
  Flags read;
  CLI::App parser(explanation(settings, program), program.name);
  parser.allow_extras();
  parser.add_option("--config", read.file, "Configuration file in TOML; --print-config prints one")->type_name("FILE");
  bool print = false;
  bool check = false;
  bool version = false;
  parser.add_flag("--print-config", print, "Print the effective configuration with the source of each value, and exit");
  parser.add_flag("--check-config", check,
                  "Check the configuration and the files it names, and exit with status 0, or 2 if it is invalid");
  parser.add_flag("--version", version, "Print the version, and exit");
  bool health = false;
  parser.add_flag(
      "--check-health", health,
      "Request /healthz from the server that runs with this configuration; exit with status 0, or 1 if it fails");
  bool tls_dev = false;
  parser.add_flag("--tls-dev", tls_dev, "Short for --tls.dev true");
  std::vector<std::vector<std::string>> values(settings.size());
  std::vector<CLI::Option*> options;
  for (std::size_t i = 0; i != settings.size(); ++i) {
    const std::string section(settings[i].section());
    CLI::Option* option = parser.add_option(names(settings[i]), values[i], help_of(settings[i]));
    option->allow_extra_args(false)->type_name("")->group(section.empty() ? "Options" : section);
    options.push_back(option);
  }
  try {
    parser.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(ExitResult{0, parser.help()});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(ExitResult{kExitUsage, std::string(error.what()) + "\n"});
  }
  if (version) return std::unexpected(ExitResult{0, version_line(program)});
  if (!parser.remaining().empty()) return std::unexpected(unknown(settings, parser.remaining().front()));
  for (std::size_t i = 0; i != settings.size(); ++i) {
    if (tls_dev && settings[i].key() == kTlsDev) values[i] = {"true"};
    if (values[i].empty()) continue;
    const std::string brief(settings[i].extra().short_flag);
    read.given.push_back({&settings[i], brief.empty() ? settings[i].flag() : brief, std::move(values[i])});
  }
  if (print) read.command = Flags::Command::print_config;
  if (check) read.command = Flags::Command::check_config;
  if (health) read.command = Flags::Command::check_health;
  return read;
}

void assign_flags(const Flags& flags, ConfigBuilder& config_builder) {
  for (const auto& [setting, flag, items] : flags.given) {
    RawValue found{RawValue::Notation::untyped, items};
    if (!setting->is_list()) found.items = {items.back()};  // of a repeated flag the last one wins
    config_builder.assign(*setting, found, flag, flag);
  }
}

}  // namespace volt::config
