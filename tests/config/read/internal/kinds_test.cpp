// SPDX-License-Identifier: MIT

#include "config/read/internal/kinds.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::config {
namespace {

using std::chrono::milliseconds;

RawValue text(std::string value) { return {RawValue::Notation::untyped, {std::move(value)}}; }

}  // namespace

TEST_SUITE_BEGIN("config/read/internal/kinds");

TEST_CASE("a duration is a whole number with a unit") {
  const struct {
    std::string given;
    std::optional<std::int64_t> want_ms;
  } cases[] = {
      {"30s", 30'000},
      {"250ms", 250},
      {"250 ms", 250},
      {"5m", 300'000},
      {"24h", 86'400'000},
      {"1ms", 1},
      {"0ms", {}},
      {"25h", {}},
      {"30", {}},
      {"", {}},
      {"s", {}},
      {"-1s", {}},
      {"1.5s", {}},
      {"1s ", {}},
      {" 1s", {}},
      {"1  s", {}},
      {"1 second", {}},
      {"1S", {}},
      {"1h30m", {}},
      {"+1s", {}},
      {"1ns", {}},
      {"0x10s", {}},
      {"18446744073709551615h", {}},
      {"99999999999999999999s", {}},
  };
  for (const auto& [given, want_ms] : cases) {
    CAPTURE(given);
    const auto read = Duration{}.read(text(given));
    REQUIRE(read.has_value() == want_ms.has_value());
    if (want_ms) CHECK(read->count() == *want_ms);
  }
}

TEST_CASE("a size is a whole number with a unit, or a number of bytes") {
  const struct {
    std::string given;
    std::optional<std::uint64_t> want;
  } cases[] = {
      {"64 KiB", 65536},    {"64KiB", 65536}, {"65536", 65536}, {"2 MiB", 2u << 20},
      {"1 GiB", 1u << 30},  {"7 B", 7},       {"0", {}},        {"64 KB", {}},
      {"64k", {}},          {"64 kib", {}},   {"-1", {}},       {"1.5 MiB", {}},
      {"KiB", {}},          {"", {}},         {"2 TiB", {}},    {"1 TiB", 1ull << 40},
      {"16777216 TiB", {}},
  };
  for (const auto& [given, want] : cases) {
    CAPTURE(given);
    CHECK(Size{}.read(text(given)) == want);
  }
}

TEST_CASE("values are shown in the largest exact unit, and parse back to equal values") {
  const std::pair<std::uint64_t, std::string> sizes[] = {
      {1, "\"1 B\""}, {1023, "\"1023 B\""}, {1024, "\"1 KiB\""}, {1536, "\"1536 B\""}, {3 << 20, "\"3 MiB\""}};
  for (const auto& [value, shown] : sizes) {
    CHECK(Size::show(value) == shown);
    CHECK(Size{}.read(text(shown.substr(1, shown.size() - 2))) == value);
  }
  CHECK(Size::show(0) == "\"0 B\"");
  const std::pair<std::int64_t, std::string> durations[] = {
      {1, "\"1ms\""}, {1500, "\"1500ms\""}, {60'000, "\"1m\""}, {61'000, "\"61s\""}, {7'200'000, "\"2h\""}};
  for (const auto& [value, shown] : durations) {
    CHECK(Duration::show(milliseconds(value)) == shown);
    CHECK(Duration{}.read(text(shown.substr(1, shown.size() - 2))) == milliseconds(value));
  }
}

TEST_CASE("counts, switches, choices and names accept only valid values") {
  const Count count{.min = 2, .max = 10};
  for (const char* wrong : {"1", "11", "", "3 ", " 3", "+3", "-3", "3.0", "0x3", "99999999999999999999"}) {
    CHECK_MESSAGE(!count.read(text(wrong)), std::string(wrong));
  }
  CHECK(count.read(text("2")) == 2);
  CHECK(count.read(text("10")) == 10);
  CHECK(Switch::read(text("true")) == true);
  CHECK(Switch::read(text("false")) == false);
  for (const char* wrong : {"True", "1", "yes", "on", ""})
    CHECK_MESSAGE(!Switch::read(text(wrong)), std::string(wrong));
  const Choice<int> choice{{{"one", 1}, {"two", 2}, {"three", 3}}};
  CHECK(choice.read(text("two")) == 2);
  CHECK(!choice.read(text("tw")));
  CHECK(choice.expected() == R"("one", "two" or "three")");
  CHECK(choice.show(3) == R"("three")");
  for (const char* right : {"", "www-data", "1000", "a.b_c"})
    CHECK_MESSAGE(Account::read(text(right)), std::string(right));
  for (const char* wrong : {"a b", "a:b", "../a", "\n"}) CHECK_MESSAGE(!Account::read(text(wrong)), std::string(wrong));
  CHECK(!Account::read(text(std::string(33, 'a'))));
  for (const char* right : {"", "0", "027", "777", "0777"}) {
    CHECK_MESSAGE(FileModeMask::read(text(right)), std::string(right));
  }
  for (const char* wrong : {"8", "1777", "00000", "u=rw"})
    CHECK_MESSAGE(!FileModeMask::read(text(wrong)), std::string(wrong));
}

TEST_CASE("a label is a short line of printable ASCII") {
  for (const char* right : {"", "shop", "2.1.0 (3fa9c1e)", "a \"b\""}) {
    CHECK_MESSAGE(Label::read(text(right)), std::string(right));
  }
  for (const char* wrong : {"a\nb", "\x7f", "\xc3\xa9"}) CHECK_MESSAGE(!Label::read(text(wrong)), std::string(wrong));
  CHECK(Label::read(text(std::string(100, 'a'))));
  CHECK(!Label::read(text(std::string(101, 'a'))));
}

TEST_CASE("quoted text is valid TOML for any content") {
  CHECK(in_quotes("a\"b\\c\n\x7f") == R"("a\"b\\c\u000a\u007f")");
  CHECK(text(std::string(200, 'a')).to_string() == '"' + std::string(80, 'a') + "\"...");
  CHECK(RawValue{RawValue::Notation::strings, {"a", "b\""}}.to_string() == R"(["a", "b\""])");
}

TEST_CASE("hosts must be names without ports") {
  const auto hosts = [](std::vector<std::string> items) {
    return Hosts::read({RawValue::Notation::strings, std::move(items)}).has_value();
  };
  CHECK(hosts({}));
  CHECK(hosts({"ops.example.com", "prometheus", "a_b-c.d"}));
  for (const char* wrong : {"", "a:9090", "http://a", "a b", "*"})
    CHECK_MESSAGE(!hosts({"good", wrong}), std::string(wrong));
  CHECK(!hosts({std::string(254, 'a')}));
  CHECK(!Hosts::read({RawValue::Notation::integer, {"1"}}));
}

TEST_CASE("levels of a log are modules with levels") {
  for (const char* right : {"", "http=debug", "http=debug, pg=warning", "mine.x=off"})
    CHECK_MESSAGE(LogLevels::read(text(right)) == right, std::string(right));
  for (const char* wrong : {"loud", "http=loud", "http", "=info", "a=info, a=debug"})
    CHECK_MESSAGE(!LogLevels::read(text(wrong)), std::string(wrong));
  CHECK(!LogLevels::read({RawValue::Notation::boolean, {"true"}}));
}

TEST_SUITE_END();
}  // namespace volt::config
