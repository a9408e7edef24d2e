// SPDX-License-Identifier: MIT

#include "runtime/internal/log_levels.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace volt {
namespace {

constexpr std::size_t kModulesMax = 64;  // a bound on what a request to the ops server can store
constexpr std::size_t kModuleNameBytesMax = 64;

constexpr LogLevel kLevels[] = {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::off};

std::optional<LogLevel> level_named(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(kLevels, name, [](LogLevel level) { return to_string(level); });
  if (found == std::end(kLevels)) return std::nullopt;
  return *found;
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool is_name(std::string_view text) noexcept {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !text.empty() && text.size() <= kModuleNameBytesMax && std::ranges::all_of(text, allowed);
}

// Returns the text for a message: in quotes, without control characters, and not too long.
std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, kModuleNameBytesMax));
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  return "\"" + shown + "\"";
}

}  // namespace

struct Log::Levels::Parsed {
  std::optional<LogLevel> rest;
  std::vector<Module> modules;

  // Adds one part of the text: LEVEL or MODULE=LEVEL. Returns what is wrong with it; empty if nothing is.
  [[nodiscard]] std::string add(std::string_view part) {
    const std::size_t equals = part.find('=');
    const std::string_view name = equals == std::string_view::npos ? "" : trim(part.substr(0, equals));
    const std::string_view level_text = equals == std::string_view::npos ? part : trim(part.substr(equals + 1));
    const std::optional<LogLevel> level = level_named(level_text);
    if (!level) return quoted(level_text) + " is not a log level: use debug, info, warning, error or off";
    if (equals == std::string_view::npos) {
      if (rest) return "the levels contain two without a module: " + quoted(part) + " is the second one";
      rest = level;
      return {};
    }
    if (!is_name(name)) {
      return quoted(name) + " is not the name of a module: use letters, digits, '_', '-' and '.'";
    }
    if (std::ranges::find(modules, name, &Module::name) != modules.end())
      return "the levels name " + quoted(name) + " twice";
    if (modules.size() == kModulesMax) return "the levels name more than " + std::to_string(kModulesMax) + " modules";
    modules.push_back({std::string(name), *level});
    return {};
  }
};

bool Log::Levels::takes(LogLevel level, std::string_view module) const noexcept {
  if (level == LogLevel::off || level < lowest_.load(base::relaxed)) return false;  // relaxed: a setting, not an order
  const std::shared_lock lock(mutex_);
  const auto found = std::ranges::find(modules_, module, &Module::name);
  return level >= (found == modules_.end() ? rest_ : found->level);
}

std::expected<void, std::string> Log::Levels::set(std::string_view text) {
  Parsed parsed;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    if (std::string wrong = parsed.add(part); !wrong.empty()) return std::unexpected(std::move(wrong));
  }
  const std::scoped_lock lock(mutex_);
  rest_ = parsed.rest.value_or(rest_);
  modules_ = std::move(parsed.modules);
  LogLevel lowest = rest_;
  for (const Module& module : modules_) lowest = std::min(lowest, module.level);
  lowest_.store(lowest, base::relaxed);  // relaxed: as above
  return {};
}

std::string Log::Levels::text() const {
  const std::shared_lock lock(mutex_);
  std::string text(to_string(rest_));
  for (const Module& module : modules_)
    text.append(", ").append(module.name).append("=").append(to_string(module.level));
  return text;
}

}  // namespace volt
