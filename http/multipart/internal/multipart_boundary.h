// SPDX-License-Identifier: MIT

// Extracts the boundary from a Content-Type and separates content from delimiter lines (RFC 2046 section 5.1.1).
//
// A line is a delimiter if it is CRLF "--" boundary, then optional white space, then CRLF. The last delimiter has "--"
// after the boundary. A line that only begins like a delimiter is content, byte for byte, such as the lines of a nested
// multipart whose boundary is longer. A delimiter that ends in a bare CR or LF, or that has text after white space, is
// rejected, because other software would treat it as a delimiter.
//
// Threads: values, used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "http/multipart/internal/multipart_error.h"

namespace volt::http::multipart {

inline constexpr std::size_t kBoundaryBytesMax = 70;

// Returns the boundary in a Content-Type value. Errors: not_form_data, bad_boundary.
std::expected<std::string, MultipartError> multipart_boundary(std::string_view content_type);

class DelimiterScanner {
 public:
  static constexpr std::size_t kPaddingBytesMax = 16;  // HTTP adds no padding; RFC 2046 allows some.

  enum class Found : std::uint8_t { need_more, content, delimiter, last_delimiter, malformed };

  struct Step {
    Found found = Found::need_more;
    std::size_t consumed = 0;
    std::string_view content;  // Not empty if found; a view into the bytes or this scanner.
  };

  // `boundary` must come from multipart_boundary(). The first delimiter may be at the very beginning of the body,
  // without a CRLF before it.
  explicit DelimiterScanner(std::string_view boundary);

  // Consumes bytes up to the next event, or all bytes. Content is reported in pieces. Bytes that may be part of a
  // delimiter are held back. Only their number is stored, since their values are those of the delimiter.
  // `last_delimiter` is reported at the second hyphen after the boundary.
  Step scan(std::string_view bytes) noexcept;

  // Declares that the previous bytes were CRLF. A delimiter may then follow without another CRLF.
  void begin_line() noexcept;

 private:
  enum class Tail : std::uint8_t { undecided, hyphen, padding, line_feed };

  std::string_view delimiter() const noexcept { return std::string_view(text_).substr(0, text_.size() - 1); }
  Step advance(std::string_view bytes) noexcept;
  Step find(std::string_view bytes) noexcept;
  Step match_more(std::string_view bytes) noexcept;
  Step take_tail(char c) noexcept;
  Step take_padding(char c) noexcept;
  Step release(std::size_t held_bytes, std::size_t consumed) noexcept;

  std::string text_;          // CRLF "--" boundary "-": the longest text that may turn out to be content.
  std::size_t matched_ = 0;   // Number of received bytes that match delimiter().
  std::size_t borrowed_ = 0;  // Number of matched bytes that are not content in any case.
  std::size_t padding_bytes_ = 0;
  Tail tail_ = Tail::undecided;  // Used once the delimiter has matched.
};

}  // namespace volt::http::multipart
