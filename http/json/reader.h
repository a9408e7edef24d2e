// A JSON document (RFC 8259) read from front to back, driven by the type that is to be filled. simdjson parses it as a
// whole first; what is read then are values that are known to be JSON, of a known kind.
//
// What that costs: simdjson does not say where a text is no JSON, so one that it refuses is looked at a second time
// (http/json/internal/syntax_error.h). The error of one that is too deep has no place; nor has that of a whole number beyond 64 bits,
// or a number beyond a double, which is refused wherever it stands, also in members that nobody reads: Kind::range with
// an empty path. And memory, besides the result: some 16 bytes for each byte of the text, while it is read.
//
// A parser is made for each document. To keep one for the next would save a small document some allocations, but takes
// a pool with a lock that all threads meet at, in a global; or a parameter more of from_json.
//
// Every function that can fail returns false or Step::failed, having set the error; nothing may be read after that.
//
// Threads: one owner. Lifetime: the reader copies the text and the options, and must outlive its probes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/json/internal/error.h"

namespace volt::http::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

// What comes next in an array or object.
enum class Step : std::uint8_t { item, end, failed };

class Reader {
 public:
  explicit Reader(const JsonOptions& options);
  ~Reader();

  // Takes all of `text` as one document; what is read next is its value. Called once, before anything is read. Fails with
  // Kind::syntax, too_deep or range.
  [[nodiscard]] bool parse(std::string_view text);

  // Of the next value. It stays the next one until it is read, or left for the one after it.
  [[nodiscard]] Kind peek() const noexcept;

  // `expected`, as in "expected a string", is what the caller wants: for the error when another kind is there.
  [[nodiscard]] bool read_null(std::string_view expected = "null");
  [[nodiscard]] bool read_boolean(bool& value);
  [[nodiscard]] bool read_string(std::string& value);
  [[nodiscard]] bool read_integer(std::int64_t min, std::int64_t max, std::int64_t& value);
  [[nodiscard]] bool read_integer(std::uint64_t max, std::uint64_t& value);
  [[nodiscard]] bool read_number(double& value);
  [[nodiscard]] bool read_number(float& value);

  // The view is into the reader, as long as it lives.
  [[nodiscard]] bool read_string_view(std::string_view& value, std::string_view expected = "a string");

  // for (Step step = open_array(...); step == Step::item; step = next_element()) { read a value, or leave it }
  [[nodiscard]] Step open_array(std::string_view expected = "an array");
  [[nodiscard]] Step next_element();

  // The same; `key` lives as from read_string_view. Its value is what is read next.
  [[nodiscard]] Step open_object(std::string_view& key, std::string_view expected = "an object");
  [[nodiscard]] Step next_member(std::string_view& key);

  // A reader of the next value alone, whose errors are its own.
  [[nodiscard]] Reader probe() const;

  [[nodiscard]] const JsonOptions& options() const noexcept { return options_; }
  [[nodiscard]] JsonError& error() noexcept { return error_; }

  // All return false. The error's path begins here; who gives it up adds the way: within("price"), then within(3), ...
  bool fail(JsonError::Kind kind, std::string detail);
  bool fail_type(std::string_view expected);  // "expected an array, found a string"
  bool within(std::string_view key);
  bool within(std::size_t index);

 private:
  struct Cursor;  // simdjson's parser, and the place in what it made of the text

  Reader(const JsonOptions& options, std::unique_ptr<Cursor> cursor);

  bool fail_integer(const std::string& min, const std::string& max);

  JsonOptions options_;
  std::unique_ptr<Cursor> cursor_;
  JsonError error_;
};

// The front of `text`, of at most `bytes_max` and whole characters. It is UTF-8.
std::string_view shortened(std::string_view text, std::size_t bytes_max) noexcept;

}  // namespace volt::http::json
