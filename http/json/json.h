// SPDX-License-Identifier: MIT

// JSON (RFC 8259) to and from C++ types, without macros: a plain struct becomes an object with the names of its
// members.
//
//   struct Item { std::int64_t id; std::string name; int price = 0; };
//   std::string text = to_json(Item{1, "pen", 3});             // {"id":1,"name":"pen","price":3}
//   std::expected<Item, JsonError> item = from_json<Item>(text);
//
//   C++                                        JSON
//   bool, integers                             true and false, whole numbers (range-checked, exact to 64 bits)
//   float, double                              numbers; NaN and the infinities are written as null
//   std::string                                string; also written: std::string_view, const char*, literals
//   enum with an underlying type               string, the enumerator's name (values -64 to 191; others are written as
//                                              numbers, and cannot be read)
//   std::optional, unique_ptr, shared_ptr      null or the value; may be omitted from an object
//   std::vector, list, set, span (writing), …  array
//   std::array, std::pair, std::tuple          array of exactly that size
//   std::map, std::unordered_map               object; the key is a std::string
//   JsonValue (http/json/value.h)              any value
//   std::variant                               the first alternative whose form the value has, see http/json/fits.h;
//                                              std::monostate is null
//   volt::Checked types                        as their value, whose rules are checked (http/validation/checked.h)
//   aggregate: no bases, up to 64 members      object; members with a default may be omitted: reflect/member_default.h
//                                              determines which members have one
//
// For another type, or to change the form of one of these, specialize JsonConverter with one function or both:
//
//   template <>
//   struct volt::http::JsonConverter<Date> {
//     static std::string to(const Date& date);
//     static std::expected<Date, std::string> from(std::string_view text);
//     static constexpr std::string_view kSchema = R"({"type":"string"})";  // optional: for openapi.h
//   };
//
// The result of to() and the parameter of from() may have any supported type. The error of from() is a sentence.
//
// Reading refuses: repeated members or keys (except among ignored members, which are not checked), text that is not
// UTF-8, halves of surrogate pairs, numbers that the type cannot hold, and text after the document. Whole numbers
// beyond 64 bits are refused anywhere in the document, even if they are to be read as a double: JavaScript writes 1e20
// as 100000000000000000000, which is refused. Writing always produces valid JSON: bytes in strings that are not UTF-8
// become U+FFFD.
//
// An aggregate with check() may refuse itself (http/validation/invalid.h).
//
// Threads: pure functions. Lifetime: results own their contents. Errors: returned as values, all of a document in one,
// up to 16; only memory allocation, and check(), can throw.
// Bounds: the memory of a result is proportional to the size of the text. The stack that reading needs is proportional
// to JsonOptions::depth_max. A std::map stays fast under hostile keys, a std::unordered_map does not. Writing a cycle
// of shared pointers does not terminate.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "http/json/internal/checked.h"
#include "http/json/internal/read.h"
#include "http/json/json_error.h"
#include "http/json/write.h"

namespace volt::http {

// An aggregate satisfies JsonWritable and, if it has a default constructor, JsonReadable, whatever its members are. If
// a member has no JSON form, the compiler reports the error when it compiles the function that writes or reads the
// aggregate.
template <class T>
concept JsonWritable = json::is_writable<std::remove_cvref_t<T>>();

template <class T>
concept JsonReadable = json::is_readable<T>();

template <class T>
void append_json(const T& value, std::string& out) {
  if constexpr (json::kUsable<T, json::Direction::write>) {
    json::write(value, out);
  } else {
    static_cast<void>(sizeof(json::MistakeIn<T, json::Direction::write>));
  }
}

template <class T>
std::string to_json(const T& value) {
  std::string out;
  append_json(value, out);
  return out;
}

template <class T>
std::expected<T, JsonError> from_json(std::string_view text, const JsonOptions& options = {}) {
  if constexpr (json::kUsable<T, json::Direction::read>) {
    json::Reader reader(options);
    T value{};
    if (!reader.parse(text) || !json::read(reader, value)) return std::unexpected(reader.take_error());
    return value;
  } else {
    static_cast<void>(sizeof(json::MistakeIn<T, json::Direction::read>));
    std::unreachable();
  }
}

}  // namespace volt::http
