// The head of one part of a form: its Content-Disposition and what else was said of it (RFC 7578 section 4).
//
// Threads: a value. Lifetime: it owns its bytes; what fields() and content_type() give are views into it.
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

  // `head` is the lines of a part up to and with the empty one, each ended by CRLF. Fails with bad_field (no folding, no
  // Content-Disposition, Content-Type or Content-Transfer-Encoding twice), bad_disposition (another type, no name, a
  // name twice, `filename*`, which RFC 7578 section 4.2 forbids), unsupported_encoding (base64 and the like, which
  // section 4.7 deprecates: passing it as it came would be wrong without a sign).
  static std::expected<MultipartPart, MultipartError> parse(std::string head);

  const std::string& name() const noexcept { return name_; }

  // As the client says, so not to be trusted: see safe_file_name(). Empty text where a form's file input was left
  // empty; none if the part is no file.
  const std::optional<std::string>& file_name() const noexcept { return file_name_; }

  // "text/plain" if the part does not say (section 4.4).
  std::string_view content_type() const noexcept { return fields().find("content-type").value_or("text/plain"); }

  // All of them, those above included.
  Fields fields() const noexcept { return {head_.data(), spans_}; }

 private:
  std::expected<void, MultipartError> parse_disposition(std::string_view value);

  std::string head_;
  std::vector<message::FieldSpan> spans_;
  std::string name_;
  std::optional<std::string> file_name_;
};

}  // namespace volt::http::multipart
