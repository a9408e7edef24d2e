// SPDX-License-Identifier: MIT

#include "http/message/headers.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/message/headers");

TEST_CASE("a request's fields are found by case-insensitive name, and all values of a repeated field in order") {
  constexpr std::string_view head = "Accept: a\r\nhost: h\r\naccept: b\r\n";
  const message::FieldSpan spans[] = {{0, 6, 8, 1}, {11, 4, 17, 1}, {20, 6, 28, 1}};
  const Fields fields(head.data(), spans);
  CHECK(fields.size() == 3);
  CHECK(fields.find("ACCEPT") == "a");
  CHECK(fields.find("Host") == "h");
  CHECK_FALSE(fields.find("Hos").has_value());
  CHECK_FALSE(fields.contains("X"));
  std::vector<std::string_view> values;
  for (const std::string_view value : fields.all("Accept")) values.push_back(value);
  CHECK(values == std::vector<std::string_view>{"a", "b"});
  for (const std::string_view value : fields.all("X")) FAIL(value);
  std::string names;
  for (const Field& field : fields) names.append(field.name);
  CHECK(names == "Accepthostaccept");
  CHECK(Fields().empty());
  CHECK_FALSE(Fields().find("a").has_value());
}

TEST_CASE("several fields form one list, RFC 9110 section 5.3") {
  constexpr std::string_view head = "Connection: close , x\r\nconnection: Upgrade\r\n";
  const message::FieldSpan spans[] = {{0, 10, 12, 9}, {23, 10, 35, 7}};
  const Fields fields(head.data(), spans);
  for (const std::string_view token : {"close", "X", "upgrade"}) CHECK(fields.lists("connection", token));
  for (const std::string_view token : {"clos", "close , x", ""}) CHECK_FALSE(fields.lists("connection", token));
  CHECK_FALSE(fields.lists("upgrade", "x"));
}

TEST_CASE("bytes that could end a line are refused in fields, RFC 9110 section 5.5") {
  const struct {
    std::string_view why;
    std::string_view name;
    std::string_view value;
  } cases[] = {
      {"CRLF in a value splits the response", "A", "b\r\nSet-Cookie: c"},
      {"CR alone", "A", "b\rc"},
      {"LF alone", "A", "b\nc"},
      {"NUL", "A", "b\0c"sv},
      {"a control character", "A", "b\x1b[0m"},
      {"DEL", "A", "b\x7f"},
      {"CRLF at the end", "A", "b\r\n"},
      {"empty name", "", "b"},
      {"colon in a name", "A:", "b"},
      {"space in a name", "A B", "b"},
      {"space after a name", "A ", "b"},
      {"CRLF in a name", "A\r\nB", "b"},
      {"NUL in a name", "A\0"sv, "b"},
      {"obs-text in a name", "\xe9", "b"},
  };
  for (const auto& [why, name, value] : cases) {
    CAPTURE(why);
    FieldList list;
    CHECK_THROWS_AS(list.set(name, value), std::invalid_argument);
    CHECK_THROWS_AS(list.add(name, value), std::invalid_argument);
    CHECK(list.lines().empty());
  }
}

TEST_CASE("a refused change leaves the list unchanged") {
  FieldList list;
  list.set("A", "1");
  CHECK_THROWS_AS(list.set("A", "\r\n"), std::invalid_argument);
  CHECK(list.find("a") == "1");
}

TEST_CASE("fields can be set, added, found and removed") {
  FieldList list;
  CHECK(list.empty());
  list.add("Vary", "a");
  list.add("X", "b: c");
  list.add("vary", "");
  CHECK(list.lines() == "Vary: a\r\nX: b: c\r\nvary: \r\n");
  CHECK(list.find("x") == "b: c");
  CHECK(list.find("VARY") == "a");
  list.set("VARY", "d\te\x80");
  CHECK(list.lines() == "X: b: c\r\nVARY: d\te\x80\r\n");
  CHECK(list.remove("x"));
  CHECK_FALSE(list.remove("x"));
  CHECK_FALSE(list.find("b").has_value());
  list.set("Vary", *list.find("vary"));  // a view into the list itself
  CHECK(list.lines() == "Vary: d\te\x80\r\n");
}

TEST_SUITE_END();
}  // namespace volt::http
