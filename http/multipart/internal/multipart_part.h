// SPDX-License-Identifier: MIT

// MultipartPart: the head of one part of a form: its Content-Disposition and its other fields (RFC 7578 section 4).
//
// Threads: a value. Lifetime: it owns its bytes; fields() and content_type() return views into them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/headers.h"
#include "http/multipart/internal/multipart_error.h"

namespace volt::http::multipart {

class MultipartPart {
 public:
  MultipartPart() = default;

  // Parses the lines of a part's head, each ended by CRLF, up to and including the empty line. Errors:
  //   bad_field             a malformed or folded line, or a repeated Content-Disposition, Content-Type or
  //                         Content-Transfer-Encoding
  //   bad_disposition       a type other than form-data, no name, a repeated name, or `filename*`, which is forbidden
  //                         by RFC 7578 section 4.2
  //   unsupported_encoding  an encoding such as base64, deprecated by RFC 7578 section 4.7: its content would have to
  //                         be decoded
  static std::expected<MultipartPart, MultipartError> parse(std::string head);

  const std::string& name() const noexcept { return name_; }

  // The file name that the client sent, untrusted: see safe_file_name(). Empty text if a file input was left empty;
  // nullopt if the part is not a file.
  const std::optional<std::string>& file_name() const noexcept { return file_name_; }

  // "text/plain" if the part has no Content-Type (RFC 7578 section 4.4).
  std::string_view content_type() const noexcept { return fields().find("content-type").value_or("text/plain"); }

  // All fields, including Content-Disposition and Content-Type.
  Fields fields() const noexcept { return {head_.data(), spans_}; }

 private:
  std::expected<void, MultipartError> parse_disposition(std::string_view value);

  std::string head_;
  std::vector<message::FieldSpan> spans_;
  std::string name_;
  std::optional<std::string> file_name_;
};

}  // namespace volt::http::multipart
