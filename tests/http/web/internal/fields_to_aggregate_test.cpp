// SPDX-License-Identifier: MIT

#include "http/web/internal/fields_to_aggregate.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::web {

enum class Order : std::uint8_t { newest, oldest };

struct Search {
  std::string text;
  int limit = 20;
  std::optional<std::int64_t> after;
  std::vector<int> tags;
  Order order = Order::newest;
  bool exact = false;
  bool operator==(const Search&) const = default;
};

struct Strict {
  int a;
  std::string b;
  bool c;
};

struct Many {
  int a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15, a16, a17;
};

struct Nothing {};

namespace {
TEST_SUITE_BEGIN("http/web/internal/fields_to_aggregate");

template <class T>
std::expected<T, std::vector<FieldError>> from_query(std::string_view query) {
  return fields_to_aggregate<T>(*parse_query_fields(query));
}

// Formats errors as `field sentence; ...`.
template <class T>
std::string refusal(std::string_view query) {
  const auto filled = from_query<T>(query);
  std::string text;
  if (filled) return text;
  for (const auto& [field, sentence] : filled.error()) text.append(field).append(" ").append(sentence).append("; ");
  return text;
}

TEST_CASE("members are filled by name, and a member with a default may be missing") {
  CHECK(from_query<Search>("text=a+b") == Search{.text = "a b"});
  CHECK(from_query<Search>("tags=2&exact=on&text=&tags=1&order=oldest&after=-5&limit=3") ==
        Search{.text = "", .limit = 3, .after = -5, .tags = {2, 1}, .order = Order::oldest, .exact = true});
  CHECK(from_query<Search>("text=x&after=") == Search{.text = "x"});
  CHECK(from_query<Nothing>("a=b").has_value());
}

TEST_CASE("fields that match no member exactly are ignored") {
  CHECK(from_query<Search>("text=x&Limit=z&limit%20=z&=z&lim=z&tags[]=z&utm_source=z") == Search{.text = "x"});
}

TEST_CASE("all errors are reported at once") {
  CHECK(refusal<Strict>("") == "a is missing; b is missing; c is missing; ");
  CHECK(refusal<Strict>("a=x&b=1&b=1&c=maybe") ==
        "a must be a whole number from -2147483648 to 2147483647; b must be given only once; "
        "c must be true or false; ");
  CHECK(refusal<Search>("text=x&limit=1&limit=1") == "limit must be given only once; ");
  CHECK(refusal<Search>("text=x&order=best&tags=1&tags=x") ==
        "tags must be a whole number from -2147483648 to 2147483647; order must be one of newest, oldest; ");
  CHECK(refusal<Search>("text=x&limit=") == "limit must be a whole number from -2147483648 to 2147483647; ");
}

TEST_CASE("at most 16 errors are reported") {
  const auto filled = from_query<Many>("");
  REQUIRE_FALSE(filled.has_value());
  CHECK(filled.error().size() == kFieldErrorsMax);
  CHECK(filled.error().back() == FieldError{"a16", "is missing"});
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http::web
