// SPDX-License-Identifier: MIT

// The kinds of C++ types that parameters and columns can have in every database.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

namespace volt::database {

template <class T>
concept Optional = requires(const T& value) {
  typename T::value_type;
  { value.has_value() } -> std::same_as<bool>;
};

template <class T>
concept Text = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;

}  // namespace volt::database
