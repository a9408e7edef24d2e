// SPDX-License-Identifier: MIT

// The errors that reading JSON returns, and the limits for reading it.
//
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace volt::http {

struct JsonError {
  enum class Kind : std::uint8_t {
    syntax,     // not JSON (RFC 8259), or not UTF-8
    too_deep,   // more nested arrays and objects than JsonOptions::depth_max
    type,       // a value of the wrong kind, such as a string instead of a number
    range,      // a number that the type cannot hold; http/json/reader.h says when `path` is empty
    invalid,    // right type, invalid value: not an enumerator's name, or refused by JsonConverter::from
    missing,    // a member without default is missing
    duplicate,  // a member, or a key of a map, is repeated
    unknown,    // a member that the type does not have, with UnknownFields::refuse
  };

  Kind kind = Kind::syntax;
  std::string path = {};    // the place, as a JSON Pointer (RFC 6901): "/items/3/price"; empty for the whole document
  std::string detail = {};  // for the author of the JSON: "expected a whole number, found a string"
  // Further errors of the document in its order, at most 15; they have none themselves. JSON that cannot be parsed has
  // one error.
  std::vector<JsonError> others = {};

  bool operator==(const JsonError&) const = default;
};

enum class UnknownFields : std::uint8_t { ignore, refuse };

struct JsonOptions {
  std::size_t depth_max = 64;  // maximum depth of nested arrays and objects; empty ones do not count
  UnknownFields unknown_fields = UnknownFields::ignore;  // treatment of members that the aggregate does not have
};

}  // namespace volt::http
