// SPDX-License-Identifier: MIT

// Command: a command and its arguments.
//
//   redis::Command command("ZADD", "ranking");
//   for (const Player& player : players) command.add(player.score).add(player.name);
//   co_await redis.send(std::move(command));
//
// An argument is text or bytes of any kind (what converts to std::string_view), an integer or a floating point number.
// Subcommands are arguments: Command("CONFIG", "GET", "maxmemory").
//
// Threads: a value. Lifetime: copies its arguments.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace volt::redis {

class Command {
 public:
  template <class... Args>
  explicit Command(std::string_view name, const Args&... args) {
    ends_.reserve(1 + sizeof...(args));
    append(name);
    (add(args), ...);
  }

  template <class T>
  Command& add(const T& argument) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      append(argument);
    } else if constexpr (std::floating_point<T>) {
      append_number(static_cast<double>(argument));
    } else {
      static_assert(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>,
                    "an argument of a command is text, an integer or a floating point number");
      if constexpr (std::unsigned_integral<T>) {
        append_unsigned(argument);
      } else {
        append_signed(argument);
      }
    }
    return *this;
  }

  // Returns the number of arguments, with the name of the command.
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  // Returns argument `index` < size(); 0 is the name. Valid until the next add().
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(bytes_).substr(begin, ends_[index] - begin);
  }

 private:
  void append(std::string_view argument);
  void append_signed(std::int64_t number);
  void append_unsigned(std::uint64_t number);
  void append_number(double number);

  std::string bytes_;              // the arguments, without anything between them
  std::vector<std::size_t> ends_;  // where each argument ends
};

}  // namespace volt::redis
