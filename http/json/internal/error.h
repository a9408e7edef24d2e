// What may be wrong with JSON from outside, and the bounds it is read under.
//
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace volt::http {

struct JsonError {
  enum class Kind : std::uint8_t {
    syntax,     // no JSON: RFC 8259, or no UTF-8
    too_deep,   // more arrays and objects within each other than JsonOptions::depth_max
    type,       // a string where a number should be, and the like
    range,      // a number that the type cannot hold; without a path, see http/json/reader.h
    invalid,    // of the right type, but not one of the values: an enum's name, or JsonConverter::from said no
    missing,    // a member without default is not there
    duplicate,  // a member, or a key of a map, is there twice
    unknown,    // a member that the type does not have, with UnknownFields::refuse
  };

  Kind kind = Kind::syntax;
  std::string path;    // where, as a JSON Pointer (RFC 6901): "/items/3/price", empty for the whole document
  std::string detail;  // a sentence for who wrote the JSON: "expected a whole number, found a string"

  bool operator==(const JsonError&) const = default;
};

enum class UnknownFields : std::uint8_t { ignore, refuse };

struct JsonOptions {
  std::size_t depth_max = 64;                            // arrays and objects within each other, but for empty ones
  UnknownFields unknown_fields = UnknownFields::ignore;  // members of an object that the aggregate does not have
};

}  // namespace volt::http
