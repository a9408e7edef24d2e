// SPDX-License-Identifier: MIT

// Reply: what the server answered to one command, and its conversion to C++ values.
//
//   const redis::Reply reply = co_await redis.command("LRANGE", "jobs", 0, -1);
//   for (const std::string& job : reply.to<std::vector<std::string>>()) { ... }
//
//   C++                          reply
//   std::string                  a string or a status
//   integers                     an integer, or a string with one; a value out of range is an error
//   float, double                an integer, or a string with a number
//   bool                         the integer 0 or 1
//   std::optional<T>             the reply of T; nil is empty (for other types nil is an error)
//   std::vector<T>               an array
//   std::map<K, V>               an array of keys and values in turns: HGETALL, CONFIG GET ..
//   Reply                        any
//
// The connections speak version 2 of the protocol (RESP2), so there are no other kinds of replies: a set is an array, a
// double is a string. Rejected: RESP3, which the hiredis of Debian 12 does not read, and which adds nothing to commands
// that are converted to C++ types. Subscriptions have connections of their own, so they do not need its pushes.
//
// Threads: a value. Errors: DecodeError, which names both kinds; ServerError, for an error inside an array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace volt::redis {

struct Reply {
  enum class Kind : std::uint8_t { nil, status, string, integer, array, error };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;          // of an integer
  std::string text = {};             // of a string, a status or an error; may contain any bytes
  std::vector<Reply> elements = {};  // of an array

  [[nodiscard]] bool is_nil() const noexcept { return kind == Kind::nil; }
  // Converts the reply. An rvalue gives its text and elements away.
  template <class T>
  [[nodiscard]] T to() const&;
  template <class T>
  [[nodiscard]] T to() &&;
};

namespace decode {

[[nodiscard]] std::string text(Reply&& reply);
[[nodiscard]] std::int64_t integer(const Reply& reply, std::int64_t min, std::int64_t max);
[[nodiscard]] std::uint64_t natural(const Reply& reply);
[[nodiscard]] double number(const Reply& reply);
[[nodiscard]] bool boolean(const Reply& reply);
// Returns the elements of an array; `pairs`: their number must be even.
[[nodiscard]] std::vector<Reply> elements(Reply&& reply, bool pairs);

template <class T>
inline constexpr bool kOptional = false;
template <class T>
inline constexpr bool kOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kVector = false;
template <class T>
inline constexpr bool kVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kMap = false;
template <class K, class V>
inline constexpr bool kMap<std::map<K, V>> = true;

template <class T>
T value(Reply&& reply) {
  if constexpr (std::same_as<T, Reply>) {
    return std::move(reply);
  } else if constexpr (kOptional<T>) {
    return reply.is_nil() ? T{} : T{value<typename T::value_type>(std::move(reply))};
  } else if constexpr (std::same_as<T, bool>) {
    return boolean(reply);
  } else if constexpr (std::same_as<T, std::uint64_t>) {
    return natural(reply);
  } else if constexpr (std::integral<T>) {
    using Limits = std::numeric_limits<T>;
    return static_cast<T>(integer(reply, Limits::min(), static_cast<std::int64_t>(Limits::max())));
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(number(reply));
  } else if constexpr (std::same_as<T, std::string>) {
    return text(std::move(reply));
  } else if constexpr (kMap<T>) {
    std::vector<Reply> all = elements(std::move(reply), true);
    T values;
    for (std::size_t i = 0; i != all.size(); i += 2) {
      values.insert_or_assign(value<typename T::key_type>(std::move(all[i])),
                              value<typename T::mapped_type>(std::move(all[i + 1])));
    }
    return values;
  } else {
    static_assert(kVector<T>,
                  "a reply can be converted to a bool, a number, a std::string, a Reply, or a std::optional, "
                  "std::vector or std::map of these");
    T values;
    for (Reply& one : elements(std::move(reply), false)) {
      values.push_back(value<typename T::value_type>(std::move(one)));
    }
    return values;
  }
}

}  // namespace decode

template <class T>
T Reply::to() const& {
  return decode::value<T>(Reply(*this));
}
template <class T>
T Reply::to() && {
  return decode::value<T>(std::move(*this));
}

}  // namespace volt::redis
