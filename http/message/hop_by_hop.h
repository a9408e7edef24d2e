// SPDX-License-Identifier: MIT

// Distinguishes hop-by-hop fields, which concern one connection, from end-to-end fields, which a proxy forwards (RFC
// 9110 section 7.6.1).
//
// Threads: pure functions, and a value.
#pragma once

#include <string_view>
#include <vector>

#include "http/message/headers.h"

namespace volt::http::message {

// Returns whether the field called `name` always belongs to the connection or to the message's framing, independently
// of the Connection field.
[[nodiscard]] bool is_connection_field(std::string_view name) noexcept;

// Tells which fields of a message are end-to-end. Reads the Connection fields once, in a time that is proportional to
// the size of the message. Rejected: a search through the Connection fields for each field, whose time is proportional
// to the square of the size, which a client chooses.
class EndToEndFields {
 public:
  // `fields` are all fields of the message; their bytes must outlive this object.
  explicit EndToEndFields(const Fields& fields);

  // Returns whether a proxy forwards the field called `name`, which must be one of the message's fields.
  [[nodiscard]] bool contains(std::string_view name) const noexcept;

 private:
  std::vector<std::string_view> hop_by_hop_;  // fields of the message that Connection names; sorted, case-insensitive
};

}  // namespace volt::http::message
