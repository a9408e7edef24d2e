// SPDX-License-Identifier: MIT

// Parameters: the values of a query's placeholders. These are $1, $2 .. as in PostgreSQL, or ?1, ?2 .., or a ? for each
// value in turn; names (:name) are refused.
//
//   bool; integers up to 64 bits with sign          integer
//   float, double                                   real
//   std::string, std::string_view, const char*      text
//   enum class                                      text: the enumerator's name (database/enums.h)
//   std::vector<std::byte>, std::span<const std::byte>   blob
//   std::optional<T>, nullptr                       NULL for an empty optional or nullptr
//
// SQLite has no arrays: pass a list as JSON text, `where id in (select value from json_each($1))`.
//
// Threads: a value. Lifetime: owns copies of the values. Memory: proportional to the values. Errors:
// std::invalid_argument for an enum whose value has no name.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "database/concepts.h"
#include "database/enums.h"

namespace volt::sqlite {

namespace parameter {

template <class T>
concept Integer = std::integral<T> && (sizeof(T) < 8 || std::is_signed_v<T>);

template <class T>
concept Bytes = std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
                std::same_as<std::ranges::range_value_t<T>, std::byte>;

}  // namespace parameter

// The value of one placeholder; std::monostate is NULL.
using Parameter = std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::byte>>;

class Parameters {
 public:
  template <class T>
  void add(const T& value) {
    if constexpr (std::same_as<T, std::nullptr_t>) {
      all_.emplace_back();
    } else if constexpr (database::Optional<T>) {
      value.has_value() ? add(*value) : static_cast<void>(all_.emplace_back());
    } else if constexpr (parameter::Integer<T>) {
      all_.emplace_back(static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      all_.emplace_back(static_cast<double>(value));
    } else if constexpr (database::Text<T>) {
      all_.emplace_back(std::string(std::string_view(value)));
    } else if constexpr (database::Enum<T>) {
      all_.emplace_back(std::string(database::name_of(value)));
    } else if constexpr (parameter::Bytes<T>) {
      const std::span<const std::byte> bytes(value);
      all_.emplace_back(std::vector<std::byte>(bytes.begin(), bytes.end()));
    } else {
      static_assert(std::same_as<T, void>,
                    "this type cannot be a parameter: use text, bytes, an enum class, a number that fits into 64 bits "
                    "with sign, or an optional of these; or convert the value to text");
    }
  }

  [[nodiscard]] std::span<const Parameter> all() const noexcept { return all_; }
  void reserve(std::size_t count) { all_.reserve(count); }

 private:
  std::vector<Parameter> all_;
};

}  // namespace volt::sqlite
