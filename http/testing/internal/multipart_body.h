// SPDX-License-Identifier: MIT

// Composes a body of multipart/form-data as browsers do (RFC 7578; HTML Standard, section 4.10.21.8).
//
// Threads: values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::testing {

struct Part {
  std::string name;
  std::string content;
  std::optional<std::string> filename;  // none: a field, not a file
  std::string content_type;             // empty: none is written
};

// Returns a boundary that occurs in no part. It depends only on the parts.
[[nodiscard]] std::string boundary_for(const std::vector<Part>& parts);

[[nodiscard]] std::string multipart_body(const std::vector<Part>& parts, std::string_view boundary);

}  // namespace volt::http::testing
