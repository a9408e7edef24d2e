// SPDX-License-Identifier: MIT

// Reads a JSON document (RFC 8259) from front to back, driven by the type that is to be filled. simdjson first parses
// the whole document; the values read after that are known to be valid JSON of a known kind.
//
// Positions of errors: simdjson does not report where a text is not JSON, so a refused text is examined a second time
// (http/json/internal/syntax_error.h). The error for a document that is too deep has no position.
//
// Numbers: a whole number beyond 64 bits, or a number beyond the range of a double, is refused anywhere in the
// document, also in members that are ignored. The error has Kind::range, an empty path and no position.
//
// Memory: while the text is read, about 16 bytes for each byte of the text, besides the result.
//
// A parser is constructed for each document. Rejected: keeping a parser for the next document. It would save a small
// document some allocations, but needs a global pool whose lock all threads contend for, or another parameter of
// from_json.
//
// Every function that can fail adds an error and returns false or Step::failed. The value that was refused counts as
// read, so that the caller can read on behind it to find further errors, while within() returns true.
//
// Threads: used by one thread at a time. Lifetime: the reader copies the text and the options. A reader must outlive
// the readers that its probe() returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/json/json_error.h"
#include "http/validation/invalid.h"

namespace volt::http::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

// The next item in an array or object.
enum class Step : std::uint8_t { item, end, failed };

class Reader {
 public:
  explicit Reader(const JsonOptions& options);
  ~Reader();

  // Parses `text` as one document. The document's value is the next one to be read. Call once, before reading. Fails
  // with Kind::syntax, too_deep or range.
  [[nodiscard]] bool parse(std::string_view text);

  // Returns the kind of the next value. The value remains the next one until it is read or skipped.
  [[nodiscard]] Kind peek() const noexcept;

  // These functions read the next value. `expected` describes the value that the caller expects. It is used in the
  // error for a value of another kind: "expected a string, found a number".
  [[nodiscard]] bool read_null(std::string_view expected = "null");
  [[nodiscard]] bool read_boolean(bool& value);
  [[nodiscard]] bool read_string(std::string& value);
  [[nodiscard]] bool read_integer(std::int64_t min, std::int64_t max, std::int64_t& value);
  [[nodiscard]] bool read_integer(std::uint64_t max, std::uint64_t& value);
  [[nodiscard]] bool read_number(double& value);
  [[nodiscard]] bool read_number(float& value);
  // Reads a number, which must be the next value: a std::uint64_t only if it exceeds a std::int64_t.
  [[nodiscard]] std::variant<std::int64_t, std::uint64_t, double> read_any_number();

  // Reads a string as a view, which is valid as long as the reader exists.
  [[nodiscard]] bool read_string_view(std::string_view& value, std::string_view expected = "a string");

  // These two functions iterate over an array:
  //   for (Step step = open_array(...); step == Step::item; step = next_element()) { read the value, or skip it }
  [[nodiscard]] Step open_array(std::string_view expected = "an array");
  [[nodiscard]] Step next_element();

  // These two functions iterate over an object in the same way. `key` is the key of the member whose value is the next
  // one to be read; it is valid as long as the reader exists.
  [[nodiscard]] Step open_object(std::string_view& key, std::string_view expected = "an object");
  [[nodiscard]] Step next_member(std::string_view& key);

  // Returns a second reader of the next value alone, with errors of its own. Reading from it does not advance this
  // reader.
  [[nodiscard]] Reader probe() const;

  [[nodiscard]] const JsonOptions& options() const noexcept { return options_; }
  // Returns the first error, which must exist.
  [[nodiscard]] const JsonError& error() const noexcept { return errors_.front(); }
  // Returns the first error with the others in it.
  [[nodiscard]] JsonError take_error();
  [[nodiscard]] std::size_t error_count() const noexcept { return errors_.size(); }

  // These functions add an error and return false. Its path is empty: it refers to the next value.
  bool fail(JsonError::Kind kind, std::string detail);
  bool fail_type(std::string_view expected);  // "expected an array, found a string"
  // Prepends a key or an index to the paths of the errors from `since` on, a former error_count(): within(3, 0), then
  // within("items", 0), gives "/items/3". Returns whether the caller may read on.
  bool within(std::string_view key, std::size_t since);
  bool within(std::size_t index, std::size_t since);
  // Adds the refusals of a struct's check(). Returns whether there are none.
  bool accept(std::vector<Invalid> refused);
  // From now on, within() returns false, because an array was left before its end.
  void stop() noexcept { stopped_ = true; }

 private:
  struct Cursor;  // simdjson's parser, and the position in its result

  Reader(const JsonOptions& options, std::unique_ptr<Cursor> cursor);

  bool fail_integer(const std::string& min, const std::string& max);
  bool prepend(const std::string& step, std::size_t since);

  JsonOptions options_;
  std::unique_ptr<Cursor> cursor_;
  std::vector<JsonError> errors_;
  bool stopped_ = false;
};

// Returns the longest prefix of `text` that has at most `bytes_max` bytes and ends at the end of a character. `text`
// must be UTF-8.
std::string_view shortened(std::string_view text, std::size_t bytes_max) noexcept;

}  // namespace volt::http::json
