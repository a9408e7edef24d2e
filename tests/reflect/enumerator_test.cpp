// SPDX-License-Identifier: MIT

#include "reflect/enumerator.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace volt::reflect {

enum class Level : std::int8_t { low = -64, below = -65, none = 0, high = 127 };

namespace {
TEST_SUITE_BEGIN("reflect/enumerator");

enum class Colour { red, green, blue_2 = 7 };
enum Plain : unsigned { one = 1, last = 191, beyond = 192 };
enum class Flag : bool { off, on };
enum class Letter : char { a = 'a', A = 'A' };
enum class Huge : std::uint64_t { zero, top = UINT64_MAX };
enum class Alias { first = 1, same = 1 };
enum class Empty {};
enum Unfixed { somewhere };

template <class T>
struct Outer {
  enum class Kind { small, large };
};

TEST_CASE("enumerator_name() is the enumerator's name in the source") {
  enum class Local { here = -1, there };
  CHECK(enumerator_name(Colour::red) == "red");
  CHECK(enumerator_name(Colour::blue_2) == "blue_2");
  CHECK(enumerator_name(Local::here) == "here");
  CHECK(enumerator_name(Outer<Local>::Kind::large) == "large");
  CHECK(enumerator_name(Flag::on) == "on");
  CHECK(enumerator_name(Letter::A) == "A");
  CHECK(enumerator_name(last) == "last");
  CHECK(enumerator_name(Level::low) == "low");
  CHECK(enumerator_name(Level::high) == "high");
  static_assert(enumerator_name(Colour::green) == "green");
}

TEST_CASE("a value without an enumerator, or outside the range, has no name") {
  CHECK(enumerator_name(static_cast<Colour>(2)).empty());
  CHECK(enumerator_name(static_cast<Colour>(-5)).empty());
  CHECK(enumerator_name(static_cast<Colour>(100'000)).empty());
  CHECK(enumerator_name(Level::below).empty());
  CHECK(enumerator_name(beyond).empty());
  CHECK(enumerator_name(Huge::top).empty());
  CHECK(enumerator_name(Empty{}).empty());
}

TEST_CASE("enumerator_value() accepts only the exact name") {
  static_assert(enumerator_value<Colour>("blue_2") == Colour::blue_2);
  CHECK(enumerator_value<Level>("low") == Level::low);
  CHECK(enumerator_value<Huge>("zero") == Huge::zero);
  CHECK(enumerator_value<Alias>("first") == Alias::first);
  for (const std::string_view wrong : {"", "Red", "red ", "blue", "2", "(Colour)2", "Colour::red"}) {
    CAPTURE(std::string(wrong));
    CHECK_FALSE(enumerator_value<Colour>(wrong).has_value());
  }
  CHECK_FALSE(enumerator_value<Empty>("").has_value());
}

TEST_CASE("all enumerators are listed by rising value") {
  CHECK(enumerators<Colour>.size() == 3);
  CHECK(enumerators<Colour>[2].value == Colour::blue_2);
  CHECK(enumerators<Level>.size() == 3);
  CHECK(enumerators<Level>[0].name == "low");
  CHECK(enumerators<Plain>.size() == 2);
  CHECK(enumerators<Flag>.size() == 2);
  CHECK(enumerators<Huge>.size() == 1);
  CHECK(enumerators<Empty>.empty());
}

TEST_CASE("an enum without a fixed underlying type is not a NamedEnum") {
  CHECK(NamedEnum<Colour>);
  CHECK(NamedEnum<Plain>);
  CHECK_FALSE(NamedEnum<Unfixed>);
  CHECK_FALSE(NamedEnum<int>);
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::reflect
