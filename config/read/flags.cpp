#include "config/read/flags.h"

#include <CLI/CLI.hpp>
#include <array>
#include <sstream>

#include "config/read/nearest.h"

namespace volt::config {
namespace {

constexpr int kUsage = 2;

// Short names, for those that nearly everybody sets.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kShort{
    {{"runtime.workers", "--workers"}, {"runtime.io", "--io"}, {"ops.listen", "--ops"}}};

std::string short_flag(const Setting& setting) {
  for (const auto& [key, flag] : kShort) {
    if (key == setting.key()) return std::string(flag);
  }
  return "";
}

std::string names(const Setting& setting) {
  const std::string brief = short_flag(setting);
  return brief.empty() ? setting.flag() : brief + "," + setting.flag();
}

Ending unknown(Settings settings, const std::string& argument) {
  std::vector<std::string> known{"--config", "--print-config", "--check-config", "--help"};
  for (const Setting& setting : settings) {
    known.push_back(setting.flag());
    if (!short_flag(setting).empty()) known.push_back(short_flag(setting));
  }
  const std::string name = argument.substr(0, argument.find('='));
  const bool is_flag = name.starts_with('-');
  const std::string meant = is_flag ? suggestion(name, known) : "";
  const std::string problem = in_quotes(name) + (is_flag ? ": no such flag" : ": not expected");
  return {kUsage, problem + (meant.empty() ? "; see --help\n" : meant + "\n")};
}

}  // namespace

std::expected<Flags, Ending> read_flags(Settings settings, int argc, const char* const* argv) {
  Flags read;
  CLI::App parser(
      "A web server made with Volt. A key of the file is also a flag, and a variable: server.idle_timeout is "
      "--server.idle-timeout and VOLT_SERVER_IDLE_TIMEOUT.");
  parser.allow_extras();
  parser.add_option("--config", read.file, "a file in TOML; --print-config writes one")->type_name("FILE");
  bool print = false;
  bool check = false;
  parser.add_flag("--print-config", print, "write what is in force, and where it comes from, and end");
  parser.add_flag("--check-config", check, "say whether it is sound, and end: status 0, or 2");
  std::vector<std::vector<std::string>> values(settings.size());
  std::vector<CLI::Option*> options;
  for (std::size_t i = 0; i != settings.size(); ++i) {
    const std::string section(settings[i].section());
    CLI::Option* option = parser.add_option(names(settings[i]), values[i], std::string(settings[i].meaning()));
    option->allow_extra_args(false)->type_name("")->group(section.empty() ? "Options" : section);
    options.push_back(option);
  }
  try {
    parser.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(Ending{0, parser.help()});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(Ending{kUsage, std::string(error.what()) + "\n"});
  }
  if (!parser.remaining().empty()) return std::unexpected(unknown(settings, parser.remaining().front()));
  for (std::size_t i = 0; i != settings.size(); ++i) {
    if (values[i].empty()) continue;
    const std::string brief = short_flag(settings[i]);
    read.given.push_back({&settings[i], brief.empty() ? settings[i].flag() : brief, std::move(values[i])});
  }
  if (print) read.command = Flags::Command::print_config;
  if (check) read.command = Flags::Command::check_config;
  return read;
}

void assign_flags(const Flags& flags, Draft& draft) {
  for (const auto& [setting, flag, items] : flags.given) {
    Found found{Found::Notation::untyped, items};
    if (!setting->is_list()) found.items = {items.back()};  // the last counts
    draft.assign(*setting, found, flag, flag);
  }
}

}  // namespace volt::config
