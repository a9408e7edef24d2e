// The parts of a JSON Schema (2020-12) that do not depend on a type: leaves, objects, and the named schemas of a document.
// A schema is kept as its JSON.
//
// Threads: one. Lifetime: texts are copied, or belong to the result.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/typed_store.h"

namespace volt::http::openapi {

[[nodiscard]] std::string integer_schema(bool is_signed, unsigned bits);
// Of a type: "boolean", "string", "null", ...
[[nodiscard]] std::string plain_schema(std::string_view type, std::string_view format = {});
// A text of the enumerators, each added by add_word to what the first call begins with an empty text.
void add_word(std::string& words, std::string_view word);
[[nodiscard]] std::string words_schema(std::string_view words);
[[nodiscard]] std::string character_schema();
// `items`: a schema; `size`: exactly that many, unless it is 0.
[[nodiscard]] std::string array_schema(std::string_view items, std::size_t size = 0);
// One schema for each place, comma between.
[[nodiscard]] std::string tuple_schema(std::string_view places, std::size_t size);
[[nodiscard]] std::string map_schema(std::string_view values);
// `schemas`: several, comma between. `word`: "oneOf" or "anyOf".
[[nodiscard]] std::string choice_schema(std::string_view word, std::string_view schemas);
[[nodiscard]] std::string nullable_schema(std::string_view schema);
// The schema with a default, which is JSON; without, if that is empty or null.
[[nodiscard]] std::string with_default(std::string schema, std::string_view value);

// The schema of an object, member by member.
class ObjectSchema {
 public:
  void member(std::string_view name, std::string_view schema, bool required);
  [[nodiscard]] std::string finish() const;

 private:
  std::string properties_;
  std::string required_;
};

// Those that have a name in the document: the aggregates. Each is composed once, however often it is referred to.
class Schemas {
 public:
  using Compose = void (*)(Schemas& schemas, ObjectSchema& object);

  // One that is no type's. Before any other of that name.
  void add(std::string name, std::string schema);
  // A schema that refers to the one of that type. `type_name` is as the compiler writes it.
  [[nodiscard]] std::string reference(message::TypeId type, std::string_view type_name, Compose compose);
  // All, as the members of a JSON object, by name.
  [[nodiscard]] std::string text() const;

 private:
  struct Named {
    message::TypeId type;  // null if it is no type's
    std::string name;
    std::string schema;
  };
  [[nodiscard]] bool contains(std::string_view name) const noexcept;

  std::vector<Named> all_;
};

[[nodiscard]] std::string reference_to_schema(std::string_view name);

// What a document calls a type: without namespaces, of letters, digits, '_', '.' and '-'.
[[nodiscard]] std::string component_name(std::string_view type_name);

}  // namespace volt::http::openapi
