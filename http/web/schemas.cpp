// SPDX-License-Identifier: MIT

#include "http/web/schemas.h"

#include <algorithm>
#include <utility>

#include "http/json/append.h"
#include "http/message/ascii.h"
#include "http/web/object_text.h"

namespace volt::http::openapi {
namespace {

std::string number_of(std::int64_t value) { return std::to_string(value); }

}  // namespace

std::string integer_schema(bool is_signed, unsigned bits) {
  ObjectText schema;
  schema.add_text("type", "integer");
  if (is_signed && bits >= 32) {
    schema.add_text("format", bits == 32 ? "int32" : "int64");
  } else if (is_signed) {
    const std::int64_t beyond = std::int64_t{1} << (bits - 1);
    schema.add("minimum", number_of(-beyond)).add("maximum", number_of(beyond - 1));
  } else {
    schema.add("minimum", "0");
    if (bits <= 32) schema.add("maximum", number_of((std::int64_t{1} << bits) - 1));
  }
  return schema.text();
}

std::string plain_schema(std::string_view type, std::string_view format) {
  return ObjectText().add_text("type", type).add_text_if_any("format", format).text();
}

void add_word(std::string& words, std::string_view word) {
  std::string text;
  json::append_string(word, text);
  append_item(words, text);
}

std::string words_schema(std::string_view words) {
  return ObjectText().add_text("type", "string").add("enum", bracketed(words)).text();
}

std::string character_schema() {
  return ObjectText().add_text("type", "string").add("minLength", "1").add("maxLength", "1").text();
}

std::string array_schema(std::string_view items, std::size_t size) {
  ObjectText schema;
  schema.add_text("type", "array").add("items", items);
  if (size != 0) schema.add("minItems", std::to_string(size)).add("maxItems", std::to_string(size));
  return schema.text();
}

std::string tuple_schema(std::string_view places, std::size_t size) {
  ObjectText schema;
  schema.add_text("type", "array");
  if (size != 0) schema.add("prefixItems", bracketed(places)).add("minItems", std::to_string(size));
  return schema.add("items", "false").text();
}

std::string map_schema(std::string_view values) {
  return ObjectText().add_text("type", "object").add("additionalProperties", values).text();
}

std::string choice_schema(std::string_view word, std::string_view schemas) {
  return ObjectText().add(word, bracketed(schemas)).text();
}

std::string nullable_schema(std::string_view schema) {
  std::string either(schema);
  append_item(either, plain_schema("null"));
  return choice_schema("anyOf", either);
}

std::string with_rules(std::string schema, std::string_view rules) {
  if (rules.empty()) return schema;
  for (const std::string_view bound : {",\"minimum\":", ",\"maximum\":"}) {
    const std::size_t at = schema.find(bound);
    if (at == std::string::npos || !rules.contains(bound.substr(1))) continue;
    schema.erase(at, schema.find_first_of(",}", at + 1) - at);
  }
  schema.insert(schema.size() - 1, (schema == "{}" ? "" : ",") + std::string(rules));
  return schema;
}

std::string with_default(std::string schema, std::string_view value) {
  if (value.empty() || value == "null") return schema;
  schema.pop_back();
  if (schema.size() > 1) schema += ',';
  return schema.append("\"default\":").append(value).append("}");
}

void ObjectSchema::member(std::string_view name, std::string_view schema, bool required) {
  std::string text;
  json::append_string(name, text);
  if (required) append_item(required_, text);
  append_item(properties_, text.append(1, ':').append(schema));
}

std::string ObjectSchema::finish() const {
  ObjectText schema;
  schema.add_text("type", "object");
  if (!properties_.empty()) schema.add("properties", "{" + properties_ + "}");
  if (!required_.empty()) schema.add("required", bracketed(required_));
  return schema.text();
}

bool Schemas::contains(std::string_view name) const noexcept {
  return std::ranges::find(all_, name, &Named::name) != all_.end();
}

void Schemas::add(std::string name, std::string schema) {
  all_.push_back({.type = nullptr, .name = std::move(name), .schema = std::move(schema)});
}

std::string Schemas::reference(message::TypeId type, std::string_view type_name, Compose compose) {
  const auto known = std::ranges::find(all_, type, &Named::type);
  if (known != all_.end()) return reference_to_schema(known->name);
  const std::string base = component_name(type_name);
  std::string name = base;
  for (int i = 2; contains(name); ++i) name = base + "_" + std::to_string(i);
  const std::size_t place = all_.size();
  all_.push_back({.type = type, .name = name, .schema = {}});  // Added first: the schema may refer to itself.
  ObjectSchema object;
  compose(*this, object);
  all_[place].schema = object.finish();
  return reference_to_schema(name);
}

std::string Schemas::text() const {
  std::vector<const Named*> sorted;
  for (const Named& one : all_) sorted.push_back(&one);
  std::ranges::sort(sorted, {}, &Named::name);
  ObjectText text;
  for (const Named* one : sorted) text.add(one->name, one->schema);
  return text.text();
}

std::string reference_to_schema(std::string_view name) {
  return ObjectText().add_text("$ref", "#/components/schemas/" + std::string(name)).text();
}

std::string component_name(std::string_view type_name) {
  std::string name;
  int parentheses = 0;  // Parentheses enclose the parameters of a function.
  for (std::size_t i = 0; i != type_name.size(); ++i) {
    const char c = type_name[i];
    if (c == '(' || c == ')') {
      parentheses += c == '(' ? 1 : -1;
    } else if (parentheses != 0) {
      continue;
    } else if (type_name.substr(i, 2) == "::") {  // Drops the namespace or the function before the "::".
      name.erase(name.find_last_of('<') + 1);
      ++i;
    } else {
      name += c == ',' ? '<' : c;  // A comma, like '<', begins the name of a template argument.
    }
  }
  std::string clean;
  for (const char c : name) {
    if (message::is_alpha(c) || message::is_digit(c) || c == '_') {
      clean += c;
    } else if (!clean.empty() && !clean.ends_with('_')) {
      clean += '_';
    }
  }
  while (clean.ends_with('_')) clean.pop_back();
  return clean.empty() ? "Object" : clean;
}

}  // namespace volt::http::openapi
