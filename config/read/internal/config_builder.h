// SPDX-License-Identifier: MIT

// ConfigBuilder: a configuration under construction. Sources assign to it one after the other, so that a later source
// overrides an earlier one. The problems of all sources are collected and reported together.
//
// Threads: a value. Lifetime: the settings must outlive it.
#pragma once

#include <any>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/config.h"
#include "config/read/internal/setting.h"

namespace volt::config {

class ConfigBuilder {
 public:
  // `own` are the structs of the program, which the settings refer to.
  ConfigBuilder(Settings settings, Config defaults, std::vector<std::any> own = {})
      : settings_(settings),
        values_{std::move(defaults), std::move(own)},
        origins_(settings.size()),
        places_(settings.size()) {}

  [[nodiscard]] Settings settings() const noexcept { return settings_; }
  [[nodiscard]] const Config& config() const noexcept { return values_.config; }
  [[nodiscard]] const Values& values() const noexcept { return values_; }
  // Returns the source of the value of settings()[i], such as "volt.toml:12"; empty for the program's default.
  [[nodiscard]] const std::string& origin(std::size_t i) const noexcept { return origins_[i]; }
  // Returns whether a source has a value for settings()[i], be it valid or not.
  [[nodiscard]] bool has_source(std::size_t i) const noexcept { return !places_[i].empty(); }
  // Returns the place of that value for a message, such as "volt.toml:12: server.idle_timeout"; the key for a default.
  [[nodiscard]] std::string place(std::size_t i) const {
    return places_[i].empty() ? std::string(settings_[i].key()) : places_[i];
  }
  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

  // Assigns a value, or adds a problem if it is invalid. `place` is the prefix of that message, such as
  // "volt.toml:12: server.idle_timeout". `origin` is the result of later calls of origin(), such as "volt.toml:12".
  void assign(const Setting& setting, const RawValue& found, const std::string& place, std::string origin);
  // From now on, assign() ignores the settings of the program's own structs.
  void ignore_own() noexcept { ignores_own_ = true; }
  void add_problem(std::string problem) { problems_.push_back(std::move(problem)); }
  // Adds a message about input that may be a mistake, but may also belong to another program.
  void add_warning(std::string warning) { warnings_.push_back(std::move(warning)); }

 private:
  Settings settings_;
  Values values_;
  std::vector<std::string> origins_;
  std::vector<std::string> places_;
  std::vector<std::string> problems_;
  std::vector<std::string> warnings_;
  bool ignores_own_ = false;
};

}  // namespace volt::config
