// SPDX-License-Identifier: MIT

// Setting: a key, the member of Config that it sets, the kind of its value, and its description. The configuration
// file, the environment, the flags, --print-config and config/default.toml are all derived from the table of settings.
//
// Threads: const members may be called from any thread.
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "config/options/config.h"
#include "config/read/internal/kinds.h"

namespace volt::config {

inline constexpr std::string_view kVariablePrefix = "VOLT_";

// Optional properties that only a few settings have.
struct Extra {
  std::string_view short_flag;  // short name of the flag, such as "--workers"; empty: none
  std::string_view where;       // environment variable whose presence makes `there` the default; empty: none
  std::string_view there;       // default value while the variable `where` is set
};

class Setting {
 public:
  // `member` is a callable that takes a Config and returns a reference to the member.
  template <class Member, class Kind>
  Setting(std::string_view key, Member member, Kind kind, std::string_view description, Extra extra = {})
      : key_(key),
        description_(description),
        extra_(extra),
        is_list_(requires { Kind::is_list; }),
        expected_([kind] { return kind.expected(); }),
        assign_([kind, member](Config& config, const RawValue& found) {
          auto value = kind.read(found);
          if (!value) return false;
          auto& place = member(config);
          place = static_cast<std::remove_cvref_t<decltype(place)>>(*std::move(value));
          return true;
        }),
        show_([kind, member](const Config& config) { return kind.show(member(config)); }) {}

  [[nodiscard]] std::string_view key() const noexcept { return key_; }
  [[nodiscard]] std::string_view description() const noexcept { return description_; }
  [[nodiscard]] const Extra& extra() const noexcept { return extra_; }
  [[nodiscard]] bool is_list() const noexcept { return is_list_; }
  [[nodiscard]] std::string expected() const { return expected_(); }
  // Sets the member of `config`. Returns false, and leaves `config` unchanged, if the value is invalid.
  [[nodiscard]] bool assign(Config& config, const RawValue& found) const { return assign_(config, found); }
  // Returns the current value in TOML notation.
  [[nodiscard]] std::string show(const Config& config) const { return show_(config); }

  // The parts of the key before and after its last dot: the table and the key in TOML.
  [[nodiscard]] std::string_view section() const noexcept;
  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::string variable() const;  // VOLT_SERVER_IDLE_TIMEOUT
  [[nodiscard]] std::string flag() const;      // --server.idle-timeout

 private:
  std::string_view key_;
  std::string_view description_;
  Extra extra_;
  bool is_list_;
  std::function<std::string()> expected_;
  std::function<bool(Config&, const RawValue&)> assign_;
  std::function<std::string(const Config&)> show_;
};

using Settings = std::span<const Setting>;

// Returns all settings, grouped by section. They live as long as the process.
[[nodiscard]] Settings all_settings();

// Returns the setting with the key `key`, or null if there is none.
[[nodiscard]] const Setting* find_setting(Settings settings, std::string_view key) noexcept;

}  // namespace volt::config
