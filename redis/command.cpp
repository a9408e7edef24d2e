// SPDX-License-Identifier: MIT

#include "redis/command.h"

#include <charconv>

namespace volt::redis {
namespace {

template <class T>
std::string_view text_of(T number, char (&buffer)[32]) noexcept {
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

}  // namespace

void Command::append(std::string_view argument) {
  bytes_ += argument;
  ends_.push_back(bytes_.size());
}

void Command::append_signed(std::int64_t number) {
  char buffer[32];
  append(text_of(number, buffer));
}

void Command::append_unsigned(std::uint64_t number) {
  char buffer[32];
  append(text_of(number, buffer));
}

void Command::append_number(double number) {
  char buffer[32];
  append(text_of(number, buffer));
}

}  // namespace volt::redis
