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

Ending checked(const Draft& draft, const Check& check) {
  const Findings findings = check ? check(draft.config()) : Findings{};
  if (!findings.problems.empty()) return {kExitUsage, lines(findings.problems)};
  return {0, lines(draft.doubts()) + lines(findings.doubts) + "the configuration is sound\n"};
}

}  // namespace

std::expected<Loaded, Ending> load(Settings settings, Config defaults, int argc, const char* const* argv,
                                   const char* const* environment, const Check& check) {
  const auto flags = read_flags(settings, argc, argv);
  if (!flags) return std::unexpected(flags.error());
  Draft draft(settings, std::move(defaults));
  read_surroundings(environment, draft);
  const std::string file = flags->file.empty() ? file_in(environment) : flags->file;
  if (!file.empty()) read_toml_file(file, draft);
  read_environment(environment, draft);
  assign_flags(*flags, draft);
  if (!draft.problems().empty()) return std::unexpected(Ending{kExitUsage, lines(draft.problems())});
  switch (flags->command) {
    case Flags::Command::print_config:
      return std::unexpected(Ending{0, show_toml(draft)});
    case Flags::Command::check_config:
      return std::unexpected(checked(draft, check));
    case Flags::Command::check_health:
      return Loaded{std::move(draft), true};
    case Flags::Command::serve:
      return Loaded{std::move(draft), false};
  }
  std::unreachable();
}

}  // namespace volt::config
