// JSON (RFC 8259) to and from C++ types, without macros: a plain struct is an object with the struct's names.
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
//   std::optional, unique_ptr, shared_ptr      null or the value; may be left out of an object
//   std::vector, list, set, span (writing), …  array
//   std::array, std::pair, std::tuple          array of just that size
//   std::map, std::unordered_map               object; the key is a std::string
//   std::variant                               the first alternative whose form the value has, see http/json/fits.h;
//                                              std::monostate is null
//   aggregate: no bases, up to 32 members      object; members with a default may be left out: which have one is in
//                                              reflect/member_default.h
//
// For another type, or another form of one of these, specialise JsonConverter with one function or both:
//
//   template <>
//   struct volt::http::JsonConverter<Date> {
//     static std::string to(const Date& date);                                     // returns any supported type
//     static std::expected<Date, std::string> from(std::string_view text);         // takes one; the error is a sentence
//     static constexpr std::string_view kSchema = R"({"type":"string"})";         // perhaps: for http/openapi/openapi.h
//   };
//
// Reading refuses: members or keys that come twice (among members that are ignored they are not looked for), text that
// is not UTF-8, halves of surrogate pairs, numbers that the type cannot hold, and whatever follows the document. Anywhere
// in it: whole numbers beyond 64 bits, which a double of 1e20 is when written without exponent, as JavaScript does.
// Writing always gives valid JSON: in strings, bytes that are not UTF-8 become U+FFFD.
//
// Threads: pure functions. Lifetime: results own what they hold. Errors: values; only memory can throw.
// Bounds: the memory of a result is in proportion to the text, the stack to JsonOptions::depth_max. A std::map keeps its
// speed under hostile keys, a std::unordered_map does not. Shared pointers in a ring would be written for ever.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "http/json/internal/error.h"
#include "http/json/internal/read.h"
#include "http/json/write.h"

namespace volt::http {

// An aggregate satisfies both whatever its members are; one that has no JSON is told when the function is compiled.
template <class T>
concept JsonWritable = json::is_writable<std::remove_cvref_t<T>>();

template <class T>
concept JsonReadable = json::is_readable<T>();

template <class T>
void append_json(const T& value, std::string& out) {
  json::write(value, out);
}

template <class T>
std::string to_json(const T& value) {
  std::string out;
  json::write(value, out);
  return out;
}

template <class T>
std::expected<T, JsonError> from_json(std::string_view text, const JsonOptions& options = {}) {
  json::Reader reader(options);
  T value{};
  if (!reader.parse(text) || !json::read(reader, value)) return std::unexpected(std::move(reader.error()));
  return value;
}

}  // namespace volt::http
