// Setting: a key, the member of Config that it sets, what kind of value that takes, and what it means. The table of all of
// them is what the file, the environment, the flags, --print-config and config/default.toml are made of.
//
// Threads: const, by any.
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

// What few settings have besides.
struct Extra {
  std::string_view short_flag;  // for what nearly everybody sets
  std::string_view where;       // while this variable is set ..
  std::string_view there;       // .. that is the default
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
  // False if that is no value for it; the config is then as it was.
  [[nodiscard]] bool assign(Config& config, const RawValue& found) const { return assign_(config, found); }
  // The value, as TOML has it.
  [[nodiscard]] std::string show(const Config& config) const { return show_(config); }

  // Up to the last dot, and what is behind it: table and key of TOML.
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

// All of ours, section by section.
[[nodiscard]] Settings all_settings();

// Null if there is none of that key.
[[nodiscard]] const Setting* find_setting(Settings settings, std::string_view key) noexcept;

}  // namespace volt::config
