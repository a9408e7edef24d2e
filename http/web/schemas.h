// SPDX-License-Identifier: MIT

// The parts of a JSON Schema (2020-12) that do not depend on a C++ type: leaf schemas, objects, and the named schemas
// of a document. A schema is stored as its JSON text.
//
// Threads: used by one thread. Lifetime: texts are copied, or owned by the result.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/typed_store.h"

namespace volt::http::openapi {

[[nodiscard]] std::string integer_schema(bool is_signed, unsigned bits);
// Schema of a JSON type: "boolean", "string", "null", ...
[[nodiscard]] std::string plain_schema(std::string_view type, std::string_view format = {});
// Appends the name of an enumerator to `words`, which starts empty and is then passed to words_schema().
void add_word(std::string& words, std::string_view word);
[[nodiscard]] std::string words_schema(std::string_view words);
[[nodiscard]] std::string character_schema();
// `items`: the schema of the items; `size`: the exact number of items, or 0 for any number.
[[nodiscard]] std::string array_schema(std::string_view items, std::size_t size = 0);
// `places`: one schema for each element, separated by commas.
[[nodiscard]] std::string tuple_schema(std::string_view places, std::size_t size);
[[nodiscard]] std::string map_schema(std::string_view values);
// `schemas`: the alternatives, separated by commas. `word`: "oneOf" or "anyOf".
[[nodiscard]] std::string choice_schema(std::string_view word, std::string_view schemas);
[[nodiscard]] std::string nullable_schema(std::string_view schema);
// Returns `schema` with the default `value`, which is JSON. Returns `schema` unchanged if `value` is empty or `null`.
[[nodiscard]] std::string with_default(std::string schema, std::string_view value);

// Returns `schema` with the keywords of rules, such as `"minimum":1,"maximum":100`, which replace its own bounds.
[[nodiscard]] std::string with_rules(std::string schema, std::string_view rules);

// Composes the schema of an object, member by member.
class ObjectSchema {
 public:
  void member(std::string_view name, std::string_view schema, bool required);
  [[nodiscard]] std::string finish() const;

 private:
  std::string properties_;
  std::string required_;
};

// The schemas of a document that have a name. Each aggregate type has one, which is composed once, no matter how many
// references to it there are.
class Schemas {
 public:
  using Compose = void (*)(Schemas& schemas, ObjectSchema& object);

  // Adds a schema that belongs to no C++ type. Must be called before a type of that name is referenced.
  void add(std::string name, std::string schema);
  // Returns a schema that refers to the schema of `type`, which is composed at the first reference. `type_name` is the
  // compiler's name of the type.
  [[nodiscard]] std::string reference(message::TypeId type, std::string_view type_name, Compose compose);
  // All named schemas as a JSON object, sorted by name.
  [[nodiscard]] std::string text() const;

 private:
  struct Named {
    message::TypeId type;  // Null for a schema that belongs to no C++ type.
    std::string name;
    std::string schema;
  };
  [[nodiscard]] bool contains(std::string_view name) const noexcept;

  std::vector<Named> all_;
};

[[nodiscard]] std::string reference_to_schema(std::string_view name);

// Name of a type in the document: without namespaces, made of letters, digits, '_', '.' and '-'.
[[nodiscard]] std::string component_name(std::string_view type_name);

}  // namespace volt::http::openapi
