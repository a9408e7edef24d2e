// SPDX-License-Identifier: MIT

// Header fields. `Fields` holds the fields of a received request. It is a view, valid as long as the request, which
// means until the handler returns. `FieldList` holds the fields of a response to be sent. It owns its bytes and rejects
// values with bytes that could end a line, so a value of any origin cannot split a response.
//
// Threads: values, used by one thread at a time; const members may be called from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/message/ascii.h"

namespace volt::http {

struct Field {
  std::string_view name;   // as received; compare it ignoring case
  std::string_view value;  // without the white space around it
};

namespace message {
// The position of a field in its head. It consists of offsets rather than views because the buffer may move while the
// body is read.
struct FieldSpan {
  std::uint32_t name_begin = 0;
  std::uint32_t name_bytes = 0;
  std::uint32_t value_begin = 0;
  std::uint32_t value_bytes = 0;
};
}  // namespace message

class Fields {
 public:
  class Iterator;
  class Matches;

  Fields() = default;
  // `head` and the array of `spans` must outlive this view. The spans' offsets are relative to `head`.
  Fields(const char* head, std::span<const message::FieldSpan> spans) noexcept : head_(head), spans_(spans) {}

  std::size_t size() const noexcept { return spans_.size(); }
  bool empty() const noexcept { return spans_.empty(); }
  Field operator[](std::size_t index) const noexcept {
    const message::FieldSpan& span = spans_[index];
    return {{head_ + span.name_begin, span.name_bytes}, {head_ + span.value_begin, span.value_bytes}};
  }
  Iterator begin() const noexcept;
  Iterator end() const noexcept;

  // Returns the value of the first field called `name`, case-insensitive.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
  bool contains(std::string_view name) const noexcept { return find(name).has_value(); }
  // Returns every value of a field that may be repeated, in order. `name` must outlive the range.
  //   for (std::string_view value : fields.all("accept"))
  Matches all(std::string_view name) const noexcept;
  // Returns whether `token` is an element of the comma list that all fields called `name` form together. Name and token
  // are case-insensitive.
  bool lists(std::string_view name, std::string_view token) const noexcept;

 private:
  std::size_t next_match(std::string_view name, std::size_t from) const noexcept;

  const char* head_ = nullptr;
  std::span<const message::FieldSpan> spans_;
};

class Fields::Iterator {
 public:
  using value_type = Field;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  Iterator(const Fields* fields, std::size_t index) noexcept : fields_(fields), index_(index) {}
  Field operator*() const noexcept { return (*fields_)[index_]; }
  Iterator& operator++() noexcept { return ++index_, *this; }
  Iterator operator++(int) noexcept { return {fields_, index_++}; }
  bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }

 private:
  const Fields* fields_ = nullptr;
  std::size_t index_ = 0;
};

class Fields::Matches {
 public:
  class Iterator;

  Matches(Fields fields, std::string_view name) noexcept : fields_(fields), name_(name) {}
  Iterator begin() const noexcept;
  Iterator end() const noexcept;

 private:
  Fields fields_;
  std::string_view name_;
};

class Fields::Matches::Iterator {
 public:
  using value_type = std::string_view;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  Iterator(const Matches* matches, std::size_t index) noexcept : matches_(matches), index_(index) {}
  std::string_view operator*() const noexcept { return matches_->fields_[index_].value; }
  Iterator& operator++() noexcept {
    index_ = matches_->fields_.next_match(matches_->name_, index_ + 1);
    return *this;
  }
  Iterator operator++(int) noexcept {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }

 private:
  const Matches* matches_ = nullptr;
  std::size_t index_ = 0;
};

inline Fields::Iterator Fields::begin() const noexcept { return {this, 0}; }
inline Fields::Iterator Fields::end() const noexcept { return {this, size()}; }

inline std::size_t Fields::next_match(std::string_view name, std::size_t from) const noexcept {
  for (; from < size(); ++from) {
    if (message::equal_ignoring_case((*this)[from].name, name)) break;
  }
  return from;
}

inline std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
  const std::size_t index = next_match(name, 0);
  if (index == size()) return std::nullopt;
  return (*this)[index].value;
}

inline Fields::Matches Fields::all(std::string_view name) const noexcept { return {*this, name}; }

inline Fields::Matches::Iterator Fields::Matches::begin() const noexcept {
  return {this, fields_.next_match(name_, 0)};
}
inline Fields::Matches::Iterator Fields::Matches::end() const noexcept { return {this, fields_.size()}; }

// The fields of a response, in the order in which they were added.
class FieldList {
 public:
  // Replaces all fields called `name` by one with `value`. Throws std::invalid_argument if `name` is not a token (RFC
  // 9110 section 5.1) or if `value` holds CR, LF, NUL or another control character except HTAB (section 5.5).
  void set(std::string_view name, std::string_view value);
  // Adds a field and keeps those with an equal name (Set-Cookie, Vary, ...). Throws like set().
  void add(std::string_view name, std::string_view value);
  // Calls set() for each field of `other`.
  void set_all(const FieldList& other);
  // Removes all fields called `name`; returns whether there were any.
  bool remove(std::string_view name);

  // Returns the value of the first field called `name`, case-insensitive. The view is valid until the list changes.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
  bool empty() const noexcept { return lines_.empty(); }

  // Returns `name: value CRLF` for each field, as it is stored and sent. The view is valid until the list changes.
  std::string_view lines() const noexcept { return lines_; }

 private:
  // One string rather than a list of pairs: it needs one allocation, and the encoder copies it whole. Values cannot
  // hold CRLF and names cannot hold a colon, so the lines can be split again.
  std::string lines_;
};

// Checks a field as FieldList::set() does. Throws std::invalid_argument if the name or the value is malformed.
void require_field(std::string_view name, std::string_view value);

}  // namespace volt::http
