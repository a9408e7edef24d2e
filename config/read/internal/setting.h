// SPDX-License-Identifier: MIT

// Setting: a key, the member that it sets, the kind of its value, and its description. The configuration file, the
// environment, the flags, --print-config and config/default.toml are all derived from the table of settings. A member
// belongs to Config, or to a struct of the program (config/read/own_table.h).
//
// Threads: const members may be called from any thread.
#pragma once

#include <any>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/options/config.h"
#include "config/read/internal/kinds.h"

namespace volt::config {

inline constexpr std::string_view kVariablePrefix = "VOLT_";

// The values that settings set: Volt's configuration, and the structs of the program, in the order of their tables.
struct Values {
  Config config;
  std::vector<std::any> own = {};
};

// Optional properties that only a few settings have.
struct Extra {
  std::string_view short_flag = {};  // short name of the flag, such as "--workers"; empty: none
  std::string_view where = {};       // environment variable whose presence makes `there` the default; empty: none
  std::string_view there = {};       // default value while the variable `where` is set
  // Another environment variable that sets it if its own variable does not, such as DATABASE_URL; empty: none
  std::string_view also = {};
  bool is_own = false;       // belongs to a struct of the program
  bool is_required = false;  // has no default, so that a source must set it
  bool is_secret = false;    // its value is never shown
};

// Returns the problem of a value that its kind has read, or has refused; empty if there is none.
template <class Kind, class Value>
std::string problem_of(const Kind& kind, const Value& value, const RawValue& found) {
  if (value) return {};
  if constexpr (requires { value.error(); }) {
    return value.error();
  } else {
    return "found " + found.to_string() + ", expected " + kind.expected();
  }
}

class Setting {
 public:
  // `member` is a callable that takes Values and returns a reference to the member. read() of the kind returns an
  // optional value, or an expected value whose error is the problem.
  template <class Member, class Kind>
  Setting(std::string key, Member member, Kind kind, std::string_view description, Extra extra = {})
      : key_(std::move(key)),
        description_(description),
        extra_(extra),
        is_list_(requires { Kind::is_list; }),
        expected_([kind] { return kind.expected(); }),
        assign_([kind, member](Values& values, const RawValue& found) {
          auto value = kind.read(found);
          if (!value) return problem_of(kind, value, found);
          auto& place = member(values);
          place = static_cast<std::remove_cvref_t<decltype(place)>>(*std::move(value));
          return std::string();
        }),
        show_([kind, member](const Values& values) { return kind.show(member(values)); }) {}

  [[nodiscard]] std::string_view key() const noexcept { return key_; }
  [[nodiscard]] std::string_view description() const noexcept { return description_; }
  [[nodiscard]] const Extra& extra() const noexcept { return extra_; }
  [[nodiscard]] bool is_list() const noexcept { return is_list_; }
  [[nodiscard]] std::string expected() const { return expected_(); }
  // Sets the member. Returns the problem, and leaves `values` unchanged, if the value is invalid; otherwise an empty
  // text.
  [[nodiscard]] std::string assign(Values& values, const RawValue& found) const { return assign_(values, found); }
  // Returns the current value in TOML notation; empty if there is none, or if it is a secret.
  [[nodiscard]] std::string show(const Values& values) const { return show_(values); }

  // The parts of the key before and after its last dot: the table and the key in TOML.
  [[nodiscard]] std::string_view section() const noexcept;
  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::string variable() const;  // VOLT_SERVER_IDLE_TIMEOUT; of an own table [shop]: SHOP_CURRENCY
  [[nodiscard]] std::string flag() const;      // --server.idle-timeout

 private:
  std::string key_;
  std::string_view description_;
  Extra extra_;
  bool is_list_;
  std::function<std::string()> expected_;
  std::function<std::string(Values&, const RawValue&)> assign_;
  std::function<std::string(const Values&)> show_;
};

using Settings = std::span<const Setting>;

// Returns Volt's own settings, grouped by section. They live as long as the process.
[[nodiscard]] Settings all_settings();

// Returns the setting with the key `key`, or null if there is none.
[[nodiscard]] const Setting* find_setting(Settings settings, std::string_view key) noexcept;

}  // namespace volt::config
