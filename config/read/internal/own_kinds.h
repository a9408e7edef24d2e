// SPDX-License-Identifier: MIT

// The kinds of a program's own settings, each chosen by the C++ type of the member. They are like those of
// config/read/internal/kinds.h.
//
// Threads: values.
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/read/byte_size.h"
#include "config/read/internal/kinds.h"
#include "config/read/secret.h"
#include "http/validation/checked.h"
#include "reflect/enumerator.h"

namespace volt::config {

// Reads the whole text of a number; nothing if `found` has another notation.
template <class N>
std::optional<N> read_number(const RawValue& found) {
  using enum RawValue::Notation;
  const bool has_notation =
      found.notation == untyped || found.notation == integer || (std::floating_point<N> && found.notation == fraction);
  if (!has_notation) return std::nullopt;
  const std::string& text = found.items.front();
  N number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class N>
struct OwnNumber {
  [[nodiscard]] static std::optional<N> read(const RawValue& found) {
    const auto number = read_number<N>(found);
    if constexpr (std::floating_point<N>) {
      if (number && !std::isfinite(*number)) return std::nullopt;
    }
    return number;
  }
  [[nodiscard]] static std::string noun() { return std::floating_point<N> ? "a number" : "a whole number"; }
  [[nodiscard]] static std::string expected() {
    if constexpr (std::floating_point<N>) {
      return noun();
    } else {
      using Limits = std::numeric_limits<N>;
      return noun() + " from " + std::to_string(Limits::min()) + " to " + std::to_string(Limits::max());
    }
  }
  [[nodiscard]] static std::string show(N value) {
    std::string text = http::validation::text_of_number(value);
    const bool is_whole = text.find_first_of(".en") == std::string::npos;
    return std::floating_point<N> && is_whole ? text + ".0" : text;
  }
};

struct OwnText {
  [[nodiscard]] static std::optional<std::string> read(const RawValue& found) { return FilePath::read(found); }
  [[nodiscard]] static std::string expected() { return "text"; }
  [[nodiscard]] static std::string show(const std::string& value) { return in_quotes(value); }
};

// The messages never have the value.
struct OwnSecret {
  [[nodiscard]] static std::expected<Secret, std::string> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return "a secret, which is not shown"; }
  [[nodiscard]] static std::string show(const Secret& /*value*/) { return {}; }
};

// The setting NAME_file of a secret.
struct OwnSecretFile {
  [[nodiscard]] static std::expected<Secret, std::string> read(const RawValue& found);
  [[nodiscard]] static std::string expected() { return "the path of a file with the secret"; }
  [[nodiscard]] static std::string show(const Secret& value) {
    return value.file().empty() ? std::string() : in_quotes(value.file());
  }
};

template <class E>
struct OwnChoice {
  [[nodiscard]] static std::optional<E> read(const RawValue& found) { return names().read(found); }
  [[nodiscard]] static std::string expected() { return names().expected(); }
  [[nodiscard]] static std::string show(E value) {
    const std::string_view name = reflect::enumerator_name(value);
    return name.empty() ? std::string() : in_quotes(name);
  }

 private:
  static Choice<E> names() {
    Choice<E> choice;
    for (const auto& [value, name] : reflect::enumerators<E>) choice.names.emplace_back(name, value);
    return choice;
  }
};

template <class D>
struct OwnDuration {
  using milliseconds = std::chrono::milliseconds;
  static constexpr Duration kAny{.min = milliseconds(0), .max = std::chrono::hours(24 * 366 * 100)};

  [[nodiscard]] static std::optional<D> read(const RawValue& found) {
    const auto exact = kAny.read(found);
    if (!exact || std::chrono::duration_cast<D>(*exact) != *exact) return std::nullopt;
    return std::chrono::duration_cast<D>(*exact);
  }
  [[nodiscard]] static std::string noun() { return "a duration with its unit, such as \"30s\""; }
  [[nodiscard]] static std::string expected() {
    return noun() + (D(1) == milliseconds(1) ? "" : ", in multiples of " + Duration::show(D(1)));
  }
  [[nodiscard]] static std::string show(D value) { return Duration::show(value); }
};

struct OwnByteSize {
  [[nodiscard]] static std::optional<std::uint64_t> read(const RawValue& found) {
    return Size{.min = 0, .max = std::numeric_limits<std::uint64_t>::max()}.read(found);
  }
  [[nodiscard]] static std::string expected() { return "a size in bytes or with its unit, such as \"64 KiB\""; }
  [[nodiscard]] static std::string show(ByteSize value) { return Size::show(value.count()); }
};

// A volt::Checked, whose value is of another kind.
template <class C, class Kind>
struct OwnChecked {
  [[nodiscard]] static std::optional<C> read(const RawValue& found) {
    auto value = Kind::read(found);
    if (!value) return std::nullopt;
    auto checked = C::from(*std::move(value));
    return checked ? std::optional<C>(*std::move(checked)) : std::nullopt;
  }
  [[nodiscard]] static std::string expected() {
    std::string text;
    if constexpr (requires { Kind::noun(); }) {
      text = Kind::noun();
    } else {
      text = Kind::expected();
    }
    return text + "; it " + C::sentences();
  }
  [[nodiscard]] static std::string show(const C& value) { return Kind::show(value.value()); }
};

template <class T, class Kind>
struct OwnOptional {
  [[nodiscard]] static std::optional<T> read(const RawValue& found) {
    auto value = Kind::read(found);
    return value ? std::optional<T>(T(*std::move(value))) : std::nullopt;
  }
  [[nodiscard]] static std::string expected() { return Kind::expected(); }
  [[nodiscard]] static std::string show(const T& value) { return value ? Kind::show(*value) : std::string(); }
};

// Returns each item of an array or of a list as a value of its own.
[[nodiscard]] std::vector<RawValue> items_of(const RawValue& found);

template <class T, class Kind>
struct OwnList {
  static constexpr bool is_list = true;

  [[nodiscard]] static std::optional<T> read(const RawValue& found) {
    using enum RawValue::Notation;
    if (found.notation != untyped && found.notation != strings && found.notation != numbers) return std::nullopt;
    T all;
    for (const RawValue& item : items_of(found)) {
      auto value = Kind::read(item);
      if (!value) return std::nullopt;
      all.push_back(*std::move(value));
    }
    return all;
  }
  [[nodiscard]] static std::string expected() { return "a list; each item is " + Kind::expected(); }
  [[nodiscard]] static std::string show(const T& all) {
    std::string text = "[";
    for (const auto& one : all) text.append(text.size() == 1 ? "" : ", ").append(Kind::show(one));
    return text += ']';
  }
};

// The kind of a member's type; void if it is not a setting.
template <class T>
struct OwnKindOf {
  using Kind = void;
};
template <>
struct OwnKindOf<bool> {
  using Kind = Switch;
};
template <class N>
  requires((std::integral<N> && !std::same_as<N, bool> && !std::same_as<N, char>) || std::same_as<N, float> ||
           std::same_as<N, double>)
struct OwnKindOf<N> {
  using Kind = OwnNumber<N>;
};
template <>
struct OwnKindOf<std::string> {
  using Kind = OwnText;
};
template <>
struct OwnKindOf<Secret> {
  using Kind = OwnSecret;
};
template <>
struct OwnKindOf<ByteSize> {
  using Kind = OwnByteSize;
};
template <reflect::NamedEnum E>
struct OwnKindOf<E> {
  using Kind = OwnChoice<E>;
};
template <class Rep, class Period>
  requires(std::integral<Rep> && std::ratio_greater_equal_v<Period, std::milli>)
struct OwnKindOf<std::chrono::duration<Rep, Period>> {
  using Kind = OwnDuration<std::chrono::duration<Rep, Period>>;
};

template <class T>
using OwnKind = typename OwnKindOf<T>::Kind;
template <class T>
inline constexpr bool kIsOneValue = !std::is_void_v<OwnKind<T>> && !requires { OwnKind<T>::is_list; };

template <http::validation::IsChecked C>
  requires(!std::is_void_v<OwnKind<typename C::CheckedValue>> && !std::same_as<typename C::CheckedValue, Secret>)
struct OwnKindOf<C> {
  using Inner = OwnKind<typename C::CheckedValue>;
  struct List : OwnChecked<C, Inner> {
    static constexpr bool is_list = true;
  };
  using Kind = std::conditional_t<kIsOneValue<typename C::CheckedValue>, OwnChecked<C, Inner>, List>;
};
template <class T>
  requires(kIsOneValue<T> && !std::same_as<T, Secret>)
struct OwnKindOf<std::optional<T>> {
  using Kind = OwnOptional<std::optional<T>, OwnKind<T>>;
};
template <class T>
  requires(kIsOneValue<T> && !std::same_as<T, Secret>)
struct OwnKindOf<std::vector<T>> {
  using Kind = OwnList<std::vector<T>, OwnKind<T>>;
};

}  // namespace volt::config
