#include "http/json/number.h"

#include <charconv>
#include <cmath>

namespace volt::http::json {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view number) noexcept {
  T value = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return value;
}

// Whether the number is below one, other than by being zero: said by where its first significant digit stands.
bool is_small(std::string_view number) noexcept {
  if (number.front() == '-') number.remove_prefix(1);
  const std::size_t exponent_at = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, exponent_at);
  const std::size_t point = digits.find('.');
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const std::size_t whole_digits = point == std::string_view::npos ? digits.size() : point;
  // The power of ten of the first significant digit, without the exponent.
  const auto place = static_cast<std::int64_t>(whole_digits) - static_cast<std::int64_t>(first) -
                     static_cast<std::int64_t>(first < whole_digits);
  if (exponent_at == std::string_view::npos) return place < 0;
  std::string_view exponent = number.substr(exponent_at + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  const std::optional<std::int64_t> power = parse_whole<std::int64_t>(exponent);
  if (!power) return exponent.front() == '-';  // no text is long enough to make up for such an exponent
  return *power < -place;
}

template <class T>
std::optional<T> parse_fraction(std::string_view number) noexcept {
  T value = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  if (parsed.ec == std::errc{} && std::isfinite(value)) return value;
  if (!is_small(number)) return std::nullopt;
  return number.front() == '-' ? T{-0.0} : T{0};
}

}  // namespace

bool is_whole(std::string_view number) noexcept { return number.find_first_of(".eE") == std::string_view::npos; }

std::optional<std::int64_t> parse_signed(std::string_view number) noexcept { return parse_whole<std::int64_t>(number); }

std::optional<std::uint64_t> parse_unsigned(std::string_view number) noexcept {
  return number == "-0" ? 0 : parse_whole<std::uint64_t>(number);
}

std::optional<double> parse_double(std::string_view number) noexcept { return parse_fraction<double>(number); }
std::optional<float> parse_float(std::string_view number) noexcept { return parse_fraction<float>(number); }

}  // namespace volt::http::json
