// SPDX-License-Identifier: MIT

#include "http/testing/internal/multipart_body.h"

#include <algorithm>

namespace volt::http::testing {
namespace {

// Quotes and line breaks would end the parameter.
void append_parameter(std::string& body, std::string_view name, std::string_view value) {
  body.append("; ").append(name).append("=\"");
  for (const char c : value) {
    if (c == '"') {
      body += "%22";
    } else if (c == '\r') {
      body += "%0D";
    } else if (c == '\n') {
      body += "%0A";
    } else {
      body += c;
    }
  }
  body += '"';
}

}  // namespace

std::string boundary_for(const std::vector<Part>& parts) {
  const auto occurs = [&](std::string_view boundary) {
    return std::ranges::any_of(parts, [boundary](const Part& part) { return part.content.contains(boundary); });
  };
  std::string boundary = "volt-test-";
  int number = 1;
  while (occurs(boundary + std::to_string(number))) ++number;
  return boundary.append(std::to_string(number));
}

std::string multipart_body(const std::vector<Part>& parts, std::string_view boundary) {
  std::string body;
  for (const Part& part : parts) {
    body.append("--").append(boundary).append("\r\nContent-Disposition: form-data");
    append_parameter(body, "name", part.name);
    if (part.filename) append_parameter(body, "filename", *part.filename);
    if (!part.content_type.empty()) body.append("\r\nContent-Type: ").append(part.content_type);
    body.append("\r\n\r\n").append(part.content).append("\r\n");
  }
  return body.append("--").append(boundary).append("--\r\n");
}

}  // namespace volt::http::testing
