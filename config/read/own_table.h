// SPDX-License-Identifier: MIT

// OwnTable: a struct of the program as a table of the configuration, such as [shop]. Its settings are made from the
// members' names and types by reflection.
//
// Threads: values. Lifetime: the settings refer to the struct by its index in Values::own, and to static texts.
#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/read/internal/own_kinds.h"
#include "config/read/internal/setting.h"
#include "http/validation/invalid.h"
#include "reflect/aggregate.h"
#include "reflect/described.h"
#include "reflect/member_default.h"

namespace volt::config {

struct OwnTable {
  std::string name;
  std::source_location where;     // where the program declares it
  std::any value;                 // the struct with its defaults
  std::vector<Setting> settings;  // grouped by section, those of nested structs last
  // Returns what check() of the struct and of its nested structs refuses. Members are keys: "shop.page.min".
  std::function<std::vector<Invalid>(const std::any&)> check;
};

// Returns the mistakes in the tables of a program, each with its place: a name that is not a TOML key of
// lower-case letters, or that is taken; two settings with one environment variable.
[[nodiscard]] std::vector<std::string> mistakes_of(const std::vector<OwnTable>& tables);

// Returns Volt's settings and those of the tables, in the order in which --print-config prints them.
[[nodiscard]] std::vector<Setting> settings_with(const std::vector<OwnTable>& tables);

// Appends the refusals of a struct at `prefix` ("shop") as keys.
void add_refusals(const std::string& prefix, std::vector<Invalid> refused, std::vector<Invalid>& all);

// Whether a member of type M is a struct with settings.
template <class M>
inline constexpr bool kIsNested = std::is_void_v<OwnKind<M>> && reflect::Aggregate<M>;

// Instantiated for each member; its assertion states the reason if the member is not a setting.
template <class M>
struct SettingMistake {
  static_assert(!std::is_void_v<OwnKind<M>> || reflect::Aggregate<M>,
                "this member cannot be a setting: use bool, a number, std::string, an enum with an underlying type, a "
                "std::chrono duration of milliseconds or longer units, volt::ByteSize, volt::Secret, a volt::Checked "
                "type, a std::optional or std::vector of one of these, or a struct of settings");
};

// Returns whether a member of a struct must be set, because it has no default: a number and the like without an
// initializer, or a value that breaks its own rules. `covered`: an outer struct has an initializer for all of it.
template <class T, std::size_t I, class M>
bool is_required(const M& value, bool covered) {
  bool required = false;
  if constexpr (http::validation::IsChecked<M>) required = !M::holds(value.value());
  if constexpr (std::is_trivially_default_constructible_v<M>)
    required = required || (!covered && !reflect::member_has_default<T, I>());
  return required;
}

// Returns the callable for member I of the struct that `member` returns.
template <std::size_t I, class Member>
auto member_of(Member member) {
  return [member](auto& values) -> auto& { return reflect::get_member<I>(member(values)); };
}

// Adds the settings of the members that are not structs. `member` takes Values and returns a reference to the struct.
template <class T, class Member>
void add_leaves(const T& defaults, const std::string& prefix, Member member, bool covered, std::vector<Setting>& all) {
  reflect::for_each_member(defaults, [&](auto index, const auto& value) {
    using M = reflect::MemberType<T, index>;
    static_assert(sizeof(SettingMistake<M>) > 0);
    if constexpr (!std::is_void_v<OwnKind<M>>) {
      constexpr std::string_view name = reflect::member_name<T, index>;
      constexpr Described described = reflect::description_of<T>(name);
      const auto place = member_of<index()>(member);
      const Extra extra{.also = described.variable,
                        .is_own = true,
                        .is_required = is_required<T, index()>(value, covered),
                        .is_secret = std::same_as<M, Secret>};
      const std::string key = prefix + "." + std::string(name);
      all.emplace_back(key, place, OwnKind<M>{}, described.text, extra);
      if constexpr (std::same_as<M, Secret>)
        all.emplace_back(key + "_file", place, OwnSecretFile{}, "File with the secret", Extra{.is_own = true});
    }
  });
}

template <class T, class Member>
void add_settings(const T& defaults, const std::string& prefix, Member member, bool covered,
                  std::vector<Setting>& all) {
  static_assert(!reflect::kHasTooManyMembers<T>,
                "a struct may have at most 64 members: group some of them in a struct");
  add_leaves(defaults, prefix, member, covered, all);
  reflect::for_each_member(defaults, [&](auto index, const auto& value) {
    if constexpr (kIsNested<reflect::MemberType<T, index>>) {
      add_settings(value, prefix + "." + std::string(reflect::member_name<T, index>), member_of<index()>(member),
                   covered || reflect::member_has_default<T, index()>(), all);
    }
  });
}

template <class T>
void check_struct(const T& value, const std::string& prefix, std::vector<Invalid>& all) {
  reflect::for_each_member(value, [&](auto index, const auto& member) {
    if constexpr (kIsNested<reflect::MemberType<T, index>>)
      check_struct(member, prefix + "." + std::string(reflect::member_name<T, index>), all);
  });
  if constexpr (http::validation::HasCheck<T>) add_refusals(prefix, http::validation::check(value), all);
}

// Makes the table of the struct that will be at `index` of Values::own. May throw the exceptions of T's initializers.
template <reflect::Aggregate T>
OwnTable make_own_table(std::string name, std::size_t index, std::source_location where) {
  static_assert(std::default_initializable<T>, "a struct of settings has a default constructor");
  OwnTable table{std::move(name), where, T{}, {}, {}};
  const auto member = [index](auto& values) -> auto& {
    return *std::any_cast<T>(&values.own[index]);  // const if `values` is
  };
  add_settings(std::any_cast<const T&>(table.value), table.name, member, false, table.settings);
  table.check = [prefix = table.name](const std::any& value) {
    std::vector<Invalid> all;
    check_struct(std::any_cast<const T&>(value), prefix, all);
    return all;
  };
  return table;
}

}  // namespace volt::config
