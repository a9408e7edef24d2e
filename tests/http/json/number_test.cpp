#include "http/json/number.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::json {
namespace {
TEST_SUITE_BEGIN("http/json/number");

TEST_CASE("integers are exact up to their bounds") {
  CHECK(parse_signed("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_signed("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_unsigned("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(parse_signed("-0") == 0);
  CHECK(parse_unsigned("-0") == 0);
  CHECK_FALSE(parse_signed("9223372036854775808").has_value());
  CHECK_FALSE(parse_signed("-9223372036854775809").has_value());
  CHECK_FALSE(parse_unsigned("18446744073709551616").has_value());
  CHECK_FALSE(parse_unsigned("-1").has_value());
  CHECK_FALSE(parse_signed(std::string(10'000, '9')).has_value());
}

TEST_CASE("a whole number has neither fraction nor exponent") {
  CHECK(is_whole("-10"));
  CHECK_FALSE(is_whole("1.0"));
  CHECK_FALSE(is_whole("1e2"));
  CHECK_FALSE(is_whole("1E2"));
}

TEST_CASE("a fraction is the nearest value, zero if too small, nothing if too large") {
  const std::string zeros(400, '0');
  const struct {
    std::string why;
    std::string text;
    std::optional<double> want;
  } cases[] = {
      {"a tenth", "0.1", 0.1},
      {"whole", "123", 123.0},
      {"twenty digits, as JavaScript writes 1e20", "100000000000000000000", 1e20},
      {"the largest", "1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"rounds to the largest", "1.7976931348623158e308", std::numeric_limits<double>::max()},
      {"rounds beyond it", "1.7976931348623159e308", std::nullopt},
      {"too large", "1e309", std::nullopt},
      {"too large, negative", "-1e309", std::nullopt},
      {"too large without exponent", "1" + zeros, std::nullopt},
      {"too large for its digits in spite of the exponent", "1" + zeros + "e-1", std::nullopt},
      {"too large with fraction", "1" + zeros + ".5", std::nullopt},
      {"large digits, small exponent", "1" + zeros + "e-400", 1.0},
      {"too large after many zeros", "0." + zeros + "1e800", std::nullopt},
      {"small digits, large exponent", "0." + zeros + "1e401", 1.0},
      {"the smallest", "5e-324", std::numeric_limits<double>::denorm_min()},
      {"too small", "1e-400", 0.0},
      {"too small without exponent", "0." + zeros + "1", 0.0},
      {"too small in spite of the exponent", "0." + zeros + "1e5", 0.0},
      {"zero, whatever the exponent", "0e999999999999999999999", 0.0},
      {"an exponent beyond all", "1e99999999999999999999", std::nullopt},
      {"the same, positive by sign", "1e+99999999999999999999", std::nullopt},
      {"an exponent below all", "1e-99999999999999999999", 0.0},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    CHECK(parse_double(text) == want);
  }
  CHECK(std::signbit(parse_double("-1e-400").value()));
  CHECK(std::signbit(parse_double("-0").value()));
}

TEST_CASE("a float has its own bounds") {
  CHECK(parse_float("3.4028235e38") == std::numeric_limits<float>::max());
  CHECK_FALSE(parse_float("3.5e38").has_value());
  CHECK(parse_float("1e-60") == 0.0F);
  CHECK(parse_float("0.1") == 0.1F);
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http::json
