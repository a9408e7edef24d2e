// A JSON document read from front to back (RFC 8259), driven by the type that is to be filled: no tree is built and
// nothing is allocated, but for the strings of the result. simdjson was the other choice; what decided is that its
// document parser refuses numbers beyond 2^64 and 1e308 without saying where, also in fields that want a double or that
// nobody reads, and copies each document to pad it. Its UTF-8 check, the part that gains most from SIMD, is used.
//
// Every function that can fail returns false or Step::failed, having set the error; nothing may be read after that.
//
// Threads: one owner. Lifetime: the text must outlive the reader; the options are copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/json/error.h"

namespace volt::http::json {

// What a value is, by its first byte.
enum class Kind : std::uint8_t { null, boolean, number, string, array, object, nothing };

// What comes next in an array or object.
enum class Step : std::uint8_t { item, end, failed };

class Reader {
 public:
  Reader(std::string_view text, const JsonOptions& options) noexcept
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), options_(options) {}

  [[nodiscard]] bool check_utf8();
  [[nodiscard]] bool check_end();  // nothing but white space may be left

  // Of the next value; `nothing` if none begins here, which any read_ function makes an error of.
  Kind peek() noexcept;

  // `expected`, as in "expected a string", is what the caller wants: for the error when another kind is there.
  [[nodiscard]] bool read_null(std::string_view expected = "null");
  [[nodiscard]] bool read_boolean(bool& value);
  [[nodiscard]] bool read_string(std::string& value);
  [[nodiscard]] bool read_integer(std::int64_t min, std::int64_t max, std::int64_t& value);
  [[nodiscard]] bool read_integer(std::uint64_t max, std::uint64_t& value);
  [[nodiscard]] bool read_number(double& value);
  [[nodiscard]] bool read_number(float& value);

  // The view is into the text, or into the reader until it reads the next string or key.
  [[nodiscard]] bool read_string_view(std::string_view& value, std::string_view expected = "a string");

  // Reads any value and forgets it.
  [[nodiscard]] bool skip();

  // for (Step step = open_array(...); step == Step::item; step = next_element()) { read a value }
  [[nodiscard]] Step open_array(std::string_view expected = "an array");
  [[nodiscard]] Step next_element();

  // The same; `key` lives as from read_string_view. Its value is what is read next.
  [[nodiscard]] Step open_object(std::string_view& key, std::string_view expected = "an object");
  [[nodiscard]] Step next_member(std::string_view& key);

  // A reader at the same place, whose errors are its own.
  [[nodiscard]] Reader probe() const;

  [[nodiscard]] const JsonOptions& options() const noexcept { return options_; }
  [[nodiscard]] JsonError& error() noexcept { return error_; }

  // All return false. The error's path begins here; who gives it up adds the way: within("price"), then within(3), ...
  bool fail(JsonError::Kind kind, std::string detail);
  bool fail_type(std::string_view expected);  // "expected an array, found a string", or a syntax error
  bool within(std::string_view key);
  bool within(std::size_t index);

 private:
  void skip_space() noexcept;
  bool take(char c) noexcept;
  bool take_digits() noexcept;
  bool take_word(std::string_view word);
  bool take_number(std::string_view& number);
  bool take_whole(std::string_view& number);
  bool take_string(std::string_view& value);
  bool take_rest_unescaped(const char* run);
  bool take_escape();
  bool take_unicode_escape();
  bool take_code_unit(std::uint32_t& unit);
  bool take_key(std::string_view& key);
  Step open(char closing);
  Step next(char closing);
  Step with_key(Step step, std::string_view& key);
  bool fail_syntax(std::string_view what);
  bool fail_range(std::string_view number, std::string expected);

  const char* begin_;
  const char* at_;  // the next byte
  const char* end_;
  JsonOptions options_;
  std::size_t depth_ = 0;  // arrays and objects that are open
  std::string unescaped_;  // the last string that had escapes
  JsonError error_;
};

// The front of `text`, of at most `bytes_max` and whole characters. It is UTF-8.
std::string_view shortened(std::string_view text, std::size_t bytes_max) noexcept;

}  // namespace volt::http::json
