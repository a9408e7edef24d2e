// SPDX-License-Identifier: MIT

// Invalid: why a value is refused, and the check() by which a struct refuses itself.
//
//   struct Stay {
//     int nights;
//     int guests = 1;
//
//     std::optional<volt::Invalid> check() const {
//       if (nights * guests > 30) return volt::Invalid("nights", "must be at most 30 for all guests together");
//       return std::nullopt;
//     }
//   };
//
// check() is called when all members have been read and satisfy their own types (http/validation/checked.h): for JSON
// bodies, forms, queries and settings. It may also return a std::vector<volt::Invalid>, with one entry for each error.
//
// Threads: values.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace volt {

struct Invalid {
  // Refuses the whole struct. `text` is a sentence without its subject: "must not be empty".
  explicit Invalid(std::string text) : text(std::move(text)) {}
  // Refuses a member: its name, or the path to a member of a nested struct, "address/city".
  Invalid(std::string member, std::string text) : member(std::move(member)), text(std::move(text)) {}

  std::string member;  // empty: the whole struct
  std::string text;

  bool operator==(const Invalid&) const = default;
};

namespace http::validation {

inline std::vector<Invalid> listed(std::optional<Invalid> invalid) {
  std::vector<Invalid> all;
  if (invalid) all.push_back(*std::move(invalid));
  return all;
}
inline std::vector<Invalid> listed(std::vector<Invalid> all) { return all; }

template <class T>
concept HasCheck = requires(const T& value) { value.check(); };

template <HasCheck T>
std::vector<Invalid> check(const T& value) {
  constexpr bool is_right = requires { listed(value.check()); };
  static_assert(is_right, "check() must return std::optional<volt::Invalid> or std::vector<volt::Invalid>");
  if constexpr (is_right) return listed(value.check());
}

}  // namespace http::validation
}  // namespace volt
