// SPDX-License-Identifier: MIT

#include "redis/reply.h"

#include <charconv>

#include "redis/error.h"

namespace volt::redis::decode {
namespace {

std::string_view name_of(Reply::Kind kind) noexcept {
  switch (kind) {
    case Reply::Kind::nil:
      return "nil";
    case Reply::Kind::status:
      return "a status";
    case Reply::Kind::string:
      return "a string";
    case Reply::Kind::integer:
      return "an integer";
    case Reply::Kind::array:
      return "an array";
    case Reply::Kind::error:
      return "an error";
  }
  return "";
}

[[noreturn]] void fail(const Reply& reply, std::string_view wanted) {
  if (reply.kind == Reply::Kind::error) throw ServerError(reply.text);
  throw DecodeError("the reply is " + std::string(name_of(reply.kind)) + ", not " + std::string(wanted));
}

template <class T>
T parsed(const Reply& reply, std::string_view wanted) {
  T value{};
  const char* const end = reply.text.data() + reply.text.size();
  const auto [stop, error] = std::from_chars(reply.text.data(), end, value);
  if (reply.kind != Reply::Kind::string || error != std::errc{} || stop != end) fail(reply, wanted);
  return value;
}

}  // namespace

std::string text(Reply&& reply) {
  if (reply.kind != Reply::Kind::string && reply.kind != Reply::Kind::status) fail(reply, "a string");
  return std::move(reply.text);
}

std::int64_t integer(const Reply& reply, std::int64_t min, std::int64_t max) {
  const std::int64_t value =
      reply.kind == Reply::Kind::integer ? reply.integer : parsed<std::int64_t>(reply, "an integer");
  if (value < min || value > max) throw DecodeError("the integer " + std::to_string(value) + " is out of range");
  return value;
}

std::uint64_t natural(const Reply& reply) {
  if (reply.kind != Reply::Kind::integer) return parsed<std::uint64_t>(reply, "an integer that is not negative");
  return static_cast<std::uint64_t>(integer(reply, 0, std::numeric_limits<std::int64_t>::max()));
}

double number(const Reply& reply) {
  return reply.kind == Reply::Kind::integer ? static_cast<double>(reply.integer) : parsed<double>(reply, "a number");
}

bool boolean(const Reply& reply) {
  if (reply.kind != Reply::Kind::integer || (reply.integer != 0 && reply.integer != 1)) fail(reply, "0 or 1");
  return reply.integer == 1;
}

std::vector<Reply> elements(Reply&& reply, bool pairs) {
  if (reply.kind != Reply::Kind::array) fail(reply, "an array");
  if (pairs && reply.elements.size() % 2 != 0) throw DecodeError("the array has a key without a value");
  return std::move(reply.elements);
}

}  // namespace volt::redis::decode
