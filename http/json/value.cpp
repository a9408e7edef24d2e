// SPDX-License-Identifier: MIT

#include "http/json/value.h"

#include <charconv>
#include <set>
#include <stdexcept>

#include "http/json/append.h"
#include "http/json/internal/member_table.h"

namespace volt::http {
namespace {

std::string_view name_of_value(json::Kind kind) noexcept {
  switch (kind) {
    case json::Kind::null:
      return "null";
    case json::Kind::boolean:
      return "a boolean";
    case json::Kind::number:
      return "a number";
    case json::Kind::string:
      return "a string";
    case json::Kind::array:
      return "an array";
    case json::Kind::object:
      return "an object";
  }
  std::unreachable();
}

// Removes the first token from a JSON Pointer, and returns it unescaped; none if the pointer is malformed.
std::optional<std::string> take_token(std::string_view& pointer) {
  if (!pointer.starts_with('/')) return std::nullopt;
  pointer.remove_prefix(1);
  std::string token;
  while (!pointer.empty() && pointer.front() != '/') {
    const std::string_view escape = pointer.substr(0, 2);
    if (pointer.front() != '~') {
      token += pointer.front();
      pointer.remove_prefix(1);
    } else if (escape == "~0" || escape == "~1") {
      token += escape == "~0" ? '~' : '/';
      pointer.remove_prefix(2);
    } else {
      return std::nullopt;
    }
  }
  return token;
}

// An index has no leading zeros (RFC 6901 section 4).
std::optional<std::size_t> index_of(std::string_view token) noexcept {
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc() || stop != end || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  return index;
}

}  // namespace

json::Kind JsonValue::kind() const noexcept {
  constexpr json::Kind kinds[] = {json::Kind::null,   json::Kind::boolean, json::Kind::number, json::Kind::number,
                                  json::Kind::number, json::Kind::string,  json::Kind::array,  json::Kind::object};
  return kinds[value_.index()];
}

const JsonValue* JsonValue::find(std::string_view key) const noexcept {
  const JsonObject* members = object();
  if (members == nullptr) return nullptr;
  for (const JsonMember& member : *members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonValue* JsonValue::find(std::string_view key) noexcept {
  return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

const JsonValue* JsonValue::at(std::string_view pointer) const {
  const JsonValue* value = this;
  while (value != nullptr && !pointer.empty()) {
    const auto token = take_token(pointer);
    if (!token) return nullptr;
    if (const JsonArray* elements = value->array()) {
      const auto index = index_of(*token);
      value = index && *index < elements->size() ? &(*elements)[*index] : nullptr;
    } else {
      value = value->find(*token);
    }
  }
  return value;
}

JsonValue* JsonValue::at(std::string_view pointer) { return const_cast<JsonValue*>(std::as_const(*this).at(pointer)); }

JsonValue& JsonValue::set(std::string_view key, JsonValue value) {
  if (is_null()) value_ = JsonObject();
  if (object() == nullptr)
    throw std::logic_error("JsonValue::set: not an object but " + std::string(name_of_value(kind())));
  if (JsonValue* member = find(key)) {
    *member = std::move(value);
  } else {
    object()->push_back({std::string(key), std::move(value)});
  }
  return *this;
}

JsonValue& JsonValue::push(JsonValue value) {
  if (is_null()) value_ = JsonArray();
  if (array() == nullptr)
    throw std::logic_error("JsonValue::push: not an array but " + std::string(name_of_value(kind())));
  array()->push_back(std::move(value));
  return *this;
}

bool operator==(const JsonValue& a, const JsonValue& b) { return a.value_ == b.value_; }

namespace json {
namespace {

bool read_members(Reader& reader, JsonObject& members) {
  const std::size_t errors = reader.error_count();
  std::set<std::string_view> seen;  // a hostile object has many keys, which must not be compared with each other
  std::string_view key;
  Step step = reader.open_object(key);
  for (; step == Step::item; step = reader.next_member(key)) {
    const std::size_t since = reader.error_count();
    JsonMember member{std::string(key), {}};
    const bool good = seen.insert(key).second ? read_value(reader, member.value) : fail_duplicate(reader);
    if (!good && !reader.within(key, since)) return false;
    members.push_back(std::move(member));
  }
  return step == Step::end && reader.error_count() == errors;
}

bool read_elements(Reader& reader, JsonArray& elements) {
  const std::size_t errors = reader.error_count();
  Step step = reader.open_array();
  for (; step == Step::item; step = reader.next_element()) {
    const std::size_t since = reader.error_count();
    if (!read_value(reader, elements.emplace_back()) && !reader.within(elements.size() - 1, since)) return false;
  }
  return step == Step::end && reader.error_count() == errors;
}

}  // namespace

bool read_value(Reader& reader, JsonValue& value) {
  switch (reader.peek()) {
    case Kind::null:
      value = nullptr;
      return reader.read_null();
    case Kind::boolean: {
      bool truth = false;
      const bool good = reader.read_boolean(truth);
      value = truth;
      return good;
    }
    case Kind::number:
      std::visit([&value](auto number) { value = number; }, reader.read_any_number());
      return true;
    case Kind::string: {
      std::string text;
      const bool good = reader.read_string(text);
      value = std::move(text);
      return good;
    }
    case Kind::array: {
      JsonArray elements;
      const bool good = read_elements(reader, elements);
      value = std::move(elements);
      return good;
    }
    case Kind::object: {
      JsonObject members;
      const bool good = read_members(reader, members);
      value = std::move(members);
      return good;
    }
  }
  std::unreachable();
}

void append_value(const JsonValue& value, std::string& out) {
  const auto append = [&out]<class T>(const T& content) {
    if constexpr (std::same_as<T, JsonObject>) {
      char before = '{';
      for (const JsonMember& member : content) {
        out += before;
        before = ',';
        append_string(member.key, out);
        out += ':';
        append_value(member.value, out);
      }
      out += content.empty() ? "{}" : "}";
    } else {
      write(content, out);
    }
  };
  std::visit(append, value.value_);
}

}  // namespace json
}  // namespace volt::http
