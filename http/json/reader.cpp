// SPDX-License-Identifier: MIT

#include "http/json/reader.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "http/json/append.h"
#include "http/json/internal/syntax_error.h"

namespace volt::http::json {
namespace {

// On first use, simdjson detects the processor, and ends the process if there is no memory for that. This variable uses
// simdjson at start-up, so that a request cannot end the process.
[[maybe_unused]] const std::string kSimdjsonChoice = simdjson::get_active_implementation()->name();

namespace dom = simdjson::dom;

// The position in an open array or object: the element or member returned last.
struct Elements {
  dom::array::iterator at;
  dom::array::iterator end;

  dom::element value() const { return *at; }
};

struct Members {
  dom::object::iterator at;
  dom::object::iterator end;

  dom::element value() const { return at.value(); }
};

// Newer versions of simdjson report whole numbers beyond 64 bits by BIGINT_ERROR, older versions by NUMBER_ERROR.
template <class Code>
bool is_number_error(Code error) noexcept {
  if constexpr (requires { Code::BIGINT_ERROR; }) {
    if (error == Code::BIGINT_ERROR) return true;
  }
  return error == Code::NUMBER_ERROR;
}

JsonError error_of(simdjson::error_code error, std::string_view text, const JsonOptions& options) {
  using enum JsonError::Kind;
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error == simdjson::DEPTH_ERROR) {
    return {too_deep, {}, "expected at most " + std::to_string(options.depth_max) + " nested arrays and objects"};
  }
  // The messages are Volt's own, because those of simdjson differ between its versions and state no position.
  if (const auto syntax_error = find_syntax_error(text)) {
    return {syntax,
            {},
            "invalid JSON: " + std::string(syntax_error->message) + " at " + place_of(syntax_error->offset, text)};
  }
  if (is_number_error(error)) return {range, {}, "a number exceeds 64 bits or the range of a double"};
  return {syntax, {}, "the text cannot be parsed as JSON"};  // the only known cause is a text that is too long
}

Kind kind_of(dom::element value) noexcept {
  switch (value.type()) {
    case dom::element_type::NULL_VALUE:
      return Kind::null;
    case dom::element_type::BOOL:
      return Kind::boolean;
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE:
      return Kind::number;
    case dom::element_type::STRING:
      return Kind::string;
    case dom::element_type::ARRAY:
      return Kind::array;
    case dom::element_type::OBJECT:
      return Kind::object;
  }
  std::unreachable();
}

}  // namespace

struct Reader::Cursor {
  std::optional<dom::parser> parser;                  // owns the parsed document; empty in a probe
  dom::element value;                                 // the next value to be read
  std::vector<std::variant<Elements, Members>> open;  // the arrays and objects around `value`, the innermost last

  template <class Items>
  Step enter(Items items) {
    if (items.at == items.end) return Step::end;
    value = items.value();
    open.emplace_back(items);
    return Step::item;
  }

  template <class Items>
  Step advance() {
    auto& items = std::get<Items>(open.back());
    if (++items.at == items.end) {
      open.pop_back();
      return Step::end;
    }
    value = items.value();
    return Step::item;
  }

  Step with_key(Step step, std::string_view& key) const {
    if (step == Step::item) key = std::get<Members>(open.back()).at.key();
    return step;
  }
};

Reader::Reader(const JsonOptions& options) : options_(options), cursor_(std::make_unique<Cursor>()) {}

Reader::Reader(const JsonOptions& options, std::unique_ptr<Cursor> cursor)
    : options_(options), cursor_(std::move(cursor)) {}

Reader::~Reader() = default;

Reader Reader::probe() const { return {options_, std::make_unique<Cursor>(Cursor{{}, cursor_->value, {}})}; }

bool Reader::parse(std::string_view text) {
  constexpr std::size_t capacity_min = 64;  // with a smaller capacity, simdjson would enlarge its buffers once more
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(JsonError::Kind::syntax, "invalid JSON: the text is empty");
  }
  // RFC 8259 section 8.1 lets a parser accept or refuse a byte order mark. simdjson's behavior depends on its version,
  // so the mark is refused here.
  if (text.starts_with(byte_order_mark)) {
    return fail(JsonError::Kind::syntax, "invalid JSON: the text begins with a byte order mark");
  }
  dom::parser& parser = cursor_->parser.emplace();
  // simdjson counts one level more than the number of nested arrays and objects. A text cannot be deeper than its
  // number of bytes, so a large depth_max does not enlarge simdjson's buffers for a short text.
  const std::size_t depth = std::min(options_.depth_max, text.size()) + 1;
  simdjson::error_code error = parser.allocate(std::max(text.size(), capacity_min), depth);
  if (error == simdjson::SUCCESS) error = parser.parse(text.data(), text.size()).get(cursor_->value);
  if (error == simdjson::SUCCESS) return true;
  errors_.push_back(error_of(error, text, options_));
  return false;
}

Kind Reader::peek() const noexcept { return kind_of(cursor_->value); }

bool Reader::read_null(std::string_view expected) { return cursor_->value.is_null() || fail_type(expected); }

bool Reader::read_boolean(bool& value) {
  return cursor_->value.get(value) == simdjson::SUCCESS || fail_type("true or false");
}

bool Reader::read_string(std::string& value) {
  std::string_view text;
  if (!read_string_view(text)) return false;
  value = text;
  return true;
}

bool Reader::read_string_view(std::string_view& value, std::string_view expected) {
  return cursor_->value.get(value) == simdjson::SUCCESS || fail_type(expected);
}

bool Reader::read_integer(std::int64_t min, std::int64_t max, std::int64_t& value) {
  std::int64_t found = 0;
  const bool whole = cursor_->value.get(found) == simdjson::SUCCESS;
  if (!whole || found < min || found > max) return fail_integer(std::to_string(min), std::to_string(max));
  value = found;
  return true;
}

bool Reader::read_integer(std::uint64_t max, std::uint64_t& value) {
  std::uint64_t found = 0;
  if (cursor_->value.get(found) != simdjson::SUCCESS || found > max) return fail_integer("0", std::to_string(max));
  value = found;
  return true;
}

bool Reader::read_number(double& value) {
  return cursor_->value.get(value) == simdjson::SUCCESS || fail_type("a number");
}

bool Reader::read_number(float& value) {
  double found = 0;
  if (!read_number(found)) return false;
  const auto narrow = static_cast<float>(found);
  if (std::isfinite(narrow)) {
    value = narrow;
    return true;
  }
  std::string detail = "expected a number that a float can hold, found ";
  append_number(found, detail);
  return fail(JsonError::Kind::range, std::move(detail));
}

std::variant<std::int64_t, std::uint64_t, double> Reader::read_any_number() {
  const dom::element value = cursor_->value;
  if (value.is_int64()) return std::int64_t{value};
  if (value.is_uint64()) return std::uint64_t{value};
  return double{value};
}

Step Reader::open_array(std::string_view expected) {
  dom::array array;
  if (cursor_->value.get(array) == simdjson::SUCCESS) return cursor_->enter(Elements{array.begin(), array.end()});
  fail_type(expected);
  return Step::failed;
}

Step Reader::next_element() { return cursor_->advance<Elements>(); }

Step Reader::open_object(std::string_view& key, std::string_view expected) {
  dom::object object;
  if (cursor_->value.get(object) == simdjson::SUCCESS) {
    return cursor_->with_key(cursor_->enter(Members{object.begin(), object.end()}), key);
  }
  fail_type(expected);
  return Step::failed;
}

Step Reader::next_member(std::string_view& key) { return cursor_->with_key(cursor_->advance<Members>(), key); }

bool Reader::fail_integer(const std::string& min, const std::string& max) {
  const dom::element value = cursor_->value;
  if (value.type() == dom::element_type::DOUBLE) {
    return fail(JsonError::Kind::type, "expected a whole number, found one with a fraction or an exponent");
  }
  if (!value.is_number()) return fail_type("a whole number");
  std::string detail = "expected a whole number from " + min + " to " + max + ", found ";
  detail += value.is_int64() ? std::to_string(std::int64_t{value}) : std::to_string(std::uint64_t{value});
  return fail(JsonError::Kind::range, std::move(detail));
}

}  // namespace volt::http::json
