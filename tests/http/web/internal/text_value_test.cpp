// SPDX-License-Identifier: MIT

#include "http/web/internal/text_value.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shop {
struct Cents {
  int count;
  bool operator==(const Cents&) const = default;
};

std::expected<Cents, std::string> from_text(std::string_view text, std::type_identity<Cents>) {
  if (text != "1.50") return std::unexpected("must be a price");
  return Cents{150};
}

enum class Size : std::uint8_t { small, large };
std::expected<Size, std::string> from_text(std::string_view text, std::type_identity<Size>) {
  return text == "L" ? Size::large : Size::small;
}
}  // namespace shop

namespace volt::http::web {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/web/internal/text_value");

namespace {

enum class Colour : std::uint8_t { red, green = 5 };

// A std::expected of an optional cannot be compared inside CHECK.
template <class T>
bool reads(std::string_view text, const T& want) {
  const auto value = parse_text<T>(text);
  return value.has_value() && *value == want;
}

template <class T>
void refuses(std::initializer_list<std::string_view> texts, const std::string& sentence) {
  for (const std::string_view text : texts) {
    const std::string shown(text);
    CAPTURE(shown);
    const auto value = parse_text<T>(text);
    REQUIRE_FALSE(value.has_value());
    CHECK(value.error() == sentence);
  }
}

}  // namespace

TEST_CASE("an integer is the whole text, decimal and in range") {
  CHECK(parse_text<int>("0") == 0);
  CHECK(parse_text<int>("-0") == 0);
  CHECK(parse_text<int>("007") == 7);
  CHECK(parse_text<std::int8_t>("-128") == -128);
  CHECK(parse_text<std::int8_t>("127") == 127);
  CHECK(parse_text<std::uint8_t>("255") == 255);
  CHECK(parse_text<std::int64_t>("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_text<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  refuses<std::int8_t>({"", "128", "-129", "+1", " 1", "1 ", "1x", "x", "-", "--1", "0x10", "1e1", "1.0", "1\0"sv,
                        "99999999999999999999999999"},
                       "must be a whole number from -128 to 127");
  refuses<std::uint8_t>({"256", "-1", "-0"}, "must be a whole number from 0 to 255");
  refuses<std::uint64_t>({"18446744073709551616", "-1"}, "must be a whole number from 0 to 18446744073709551615");
}

TEST_CASE("a floating-point number is finite") {
  CHECK(parse_text<double>("-1.5e3") == -1500.0);
  CHECK(parse_text<double>("0.1") == 0.1);
  CHECK(parse_text<float>("1") == 1.0F);
  refuses<double>({"", "inf", "-inf", "nan", "NaN", "infinity", "1e999", "+1", " 1", "1 ", "1,5", "0x1p3", "1e", "."},
                  "must be a finite number");
  refuses<float>({"1e39"}, "must be a finite number");
}

TEST_CASE("a bool has three names for each value, and no others") {
  for (const std::string text : {"true", "1", "on"}) CHECK(parse_text<bool>(text) == true);
  for (const std::string text : {"false", "0", "off"}) CHECK(parse_text<bool>(text) == false);
  refuses<bool>({"", "True", "yes", "no", "2", "ON", " true", "true\0"sv}, "must be true or false");
}

TEST_CASE("a char is one byte, and a string is any text") {
  CHECK(parse_text<char>("x") == 'x');
  CHECK(parse_text<char>(" ") == ' ');
  refuses<char>({"", "xy", "\xc3\xa9"}, "must be one character");
  CHECK(parse_text<std::string>("") == "");
  CHECK(parse_text<std::string>(" a\0b "sv) == std::string(" a\0b "sv));
}

TEST_CASE("an enumerator is read by its exact name") {
  CHECK(parse_text<Colour>("red") == Colour::red);
  CHECK(parse_text<Colour>("green") == Colour::green);
  refuses<Colour>({"", "Red", "0", "5", "red ", "Colour::red", "blue"}, "must be one of red, green");
}

TEST_CASE("empty text gives an empty optional, but an empty string for text") {
  CHECK(reads<std::optional<int>>("7", std::optional<int>(7)));
  CHECK(reads<std::optional<int>>("", std::optional<int>()));
  CHECK(reads<std::optional<Colour>>("", std::optional<Colour>()));
  CHECK(reads<std::optional<std::string>>("", std::optional<std::string>("")));
  refuses<std::optional<int>>({"x", " "}, "must be a whole number from -2147483648 to 2147483647");
}

TEST_CASE("a user's type is read by the function in its namespace") {
  CHECK(parse_text<shop::Cents>("1.50") == shop::Cents{150});
  CHECK(parse_text<shop::Size>("L") == shop::Size::large);
  CHECK(reads<std::optional<shop::Cents>>("1.50", std::optional(shop::Cents{150})));
  refuses<shop::Cents>({"", "1"}, "must be a price");
}

TEST_CASE("a repeated name fills a vector and is an error for other types") {
  using Texts = std::vector<std::string_view>;
  CHECK(parse_texts<std::vector<int>>(Texts{"1", "2", "1"}) == std::vector{1, 2, 1});
  CHECK(parse_texts<std::vector<int>>(Texts{}) == std::vector<int>());
  CHECK(parse_texts<std::vector<bool>>(Texts{"on", "0"}) == std::vector{true, false});
  CHECK(parse_texts<std::vector<shop::Cents>>(Texts{"1.50"}) == std::vector{shop::Cents{150}});
  CHECK(parse_texts<std::vector<int>>(Texts{"1", ""}).error() ==
        "must be a whole number from -2147483648 to 2147483647");
  CHECK(parse_texts<int>(Texts{"1"}) == 1);
  CHECK(parse_texts<int>(Texts{"1", "1"}).error() == "must be given only once");
  CHECK(parse_texts<int>(Texts{}).error() == "is missing");
  const auto none = parse_texts<std::optional<int>>(Texts{});
  REQUIRE(none.has_value());
  CHECK_FALSE(none->has_value());
  CHECK(parse_texts<std::optional<int>>(Texts{"1", "2"}).error() == "must be given only once");
}

TEST_CASE("types that cannot be read from text are known at compile time") {
  CHECK(TextScalar<int>);
  CHECK(TextScalar<shop::Cents>);
  CHECK_FALSE(TextScalar<std::string_view>);
  CHECK_FALSE(TextScalar<const char*>);
  CHECK_FALSE(TextScalar<wchar_t>);
  CHECK_FALSE(TextScalar<std::vector<int>>);
}

TEST_SUITE_END();
}  // namespace volt::http::web
