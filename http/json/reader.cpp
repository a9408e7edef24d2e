#include "http/json/reader.h"

#include <simdjson.h>

#include <utility>

#include "http/json/number.h"

namespace volt::http::json {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

Kind kind_of(char first) noexcept {
  switch (first) {
    case 'n':
      return Kind::null;
    case 't':
    case 'f':
      return Kind::boolean;
    case '"':
      return Kind::string;
    case '[':
      return Kind::array;
    case '{':
      return Kind::object;
    default:
      return first == '-' || is_digit(first) ? Kind::number : Kind::nothing;
  }
}

}  // namespace

bool Reader::check_utf8() {
  const auto size = static_cast<std::size_t>(end_ - at_);
  if (size == 0 || simdjson::validate_utf8(at_, size)) return true;
  return fail(JsonError::Kind::syntax, "no JSON: the text is not UTF-8");
}

bool Reader::check_end() {
  skip_space();
  return at_ == end_ || fail_syntax("something follows the document");
}

Kind Reader::peek() noexcept {
  skip_space();
  return at_ == end_ ? Kind::nothing : kind_of(*at_);
}

bool Reader::read_null(std::string_view expected) {
  if (peek() != Kind::null) return fail_type(expected);
  return take_word("null");
}

bool Reader::read_boolean(bool& value) {
  if (peek() != Kind::boolean) return fail_type("true or false");
  value = *at_ == 't';
  return take_word(value ? "true" : "false");
}

bool Reader::read_string(std::string& value) {
  std::string_view text;
  if (!read_string_view(text)) return false;
  value = text;
  return true;
}

bool Reader::read_string_view(std::string_view& value, std::string_view expected) {
  if (peek() != Kind::string) return fail_type(expected);
  return take_string(value);
}

bool Reader::read_integer(std::int64_t min, std::int64_t max, std::int64_t& value) {
  std::string_view number;
  if (!take_whole(number)) return false;
  const auto parsed = parse_signed(number);
  if (!parsed || *parsed < min || *parsed > max) {
    return fail_range(number, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  }
  value = *parsed;
  return true;
}

bool Reader::read_integer(std::uint64_t max, std::uint64_t& value) {
  std::string_view number;
  if (!take_whole(number)) return false;
  const auto parsed = parse_unsigned(number);
  if (!parsed || *parsed > max) return fail_range(number, "a whole number from 0 to " + std::to_string(max));
  value = *parsed;
  return true;
}

bool Reader::read_number(double& value) {
  std::string_view number;
  if (!take_number(number)) return false;
  const auto parsed = parse_double(number);
  if (!parsed) return fail_range(number, "a number that a double can hold");
  value = *parsed;
  return true;
}

bool Reader::read_number(float& value) {
  std::string_view number;
  if (!take_number(number)) return false;
  const auto parsed = parse_float(number);
  if (!parsed) return fail_range(number, "a number that a float can hold");
  value = *parsed;
  return true;
}

// Recurses as deep as the document, which JsonOptions::depth_max bounds.
bool Reader::skip() {
  std::string_view ignored;
  switch (peek()) {
    case Kind::null:
      return take_word("null");
    case Kind::boolean:
      return take_word(*at_ == 't' ? "true" : "false");
    case Kind::number:
      return take_number(ignored);
    case Kind::string:
      return take_string(ignored);
    case Kind::nothing:
      return fail_type("a value");
    case Kind::array: {
      Step step = open_array();
      while (step == Step::item && skip()) step = next_element();
      return step == Step::end;
    }
    case Kind::object: {
      Step step = open_object(ignored);
      while (step == Step::item && skip()) step = next_member(ignored);
      return step == Step::end;
    }
  }
  std::unreachable();
}

Step Reader::open_array(std::string_view expected) {
  if (peek() == Kind::array) return open(']');
  fail_type(expected);
  return Step::failed;
}

Step Reader::next_element() { return next(']'); }

Step Reader::open_object(std::string_view& key, std::string_view expected) {
  if (peek() == Kind::object) return with_key(open('}'), key);
  fail_type(expected);
  return Step::failed;
}

Step Reader::next_member(std::string_view& key) { return with_key(next('}'), key); }

Step Reader::open(char closing) {
  if (depth_ == options_.depth_max) {
    fail(JsonError::Kind::too_deep,
         "expected at most " + std::to_string(options_.depth_max) + " arrays and objects within each other");
    return Step::failed;
  }
  ++at_;
  skip_space();
  if (take(closing)) return Step::end;
  ++depth_;
  return Step::item;
}

Step Reader::next(char closing) {
  skip_space();
  if (take(',')) return Step::item;
  if (take(closing)) {
    --depth_;
    return Step::end;
  }
  fail_syntax(closing == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
  return Step::failed;
}

Step Reader::with_key(Step step, std::string_view& key) {
  return step == Step::item && !take_key(key) ? Step::failed : step;
}

bool Reader::take_key(std::string_view& key) {
  skip_space();
  if (at_ == end_ || *at_ != '"') return fail_syntax("expected a member's name in quotes");
  if (!take_string(key)) return false;
  skip_space();
  return take(':') || fail_syntax("expected ':'");
}

void Reader::skip_space() noexcept {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
}

bool Reader::take(char c) noexcept {
  const bool there = at_ != end_ && *at_ == c;
  at_ += there;
  return there;
}

bool Reader::take_digits() noexcept {
  const char* const first = at_;
  while (at_ != end_ && is_digit(*at_)) ++at_;
  return at_ != first;
}

bool Reader::take_word(std::string_view word) {
  if (!std::string_view(at_, end_).starts_with(word)) return fail_syntax(std::string("expected ").append(word));
  at_ += word.size();
  return true;
}

// number = [ minus ] int [ frac ] [ exp ], RFC 8259 section 6.
bool Reader::take_number(std::string_view& number) {
  if (peek() != Kind::number) return fail_type("a number");
  const char* const first = at_;
  take('-');
  if (!take('0') && !take_digits()) return fail_syntax("expected a digit after '-'");
  if (at_ != end_ && is_digit(*at_)) return fail_syntax("a number may not begin with 0 before other digits");
  if (take('.') && !take_digits()) return fail_syntax("expected a digit after '.'");
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!take_digits()) return fail_syntax("expected a digit in the exponent");
  }
  number = {first, at_};
  return true;
}

bool Reader::take_whole(std::string_view& number) {
  if (peek() != Kind::number) return fail_type("a whole number");
  if (!take_number(number)) return false;
  if (is_whole(number)) return true;
  return fail(JsonError::Kind::type, std::string("expected a whole number, found ").append(number.substr(0, 40)));
}

Reader Reader::probe() const {
  Reader copy({at_, end_}, options_);
  copy.depth_ = depth_;
  return copy;
}

}  // namespace volt::http::json
