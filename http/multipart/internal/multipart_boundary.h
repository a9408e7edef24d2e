// The boundary that a Content-Type names, and how content and delimiter lines are told apart by it (RFC 2046 section
// 5.1.1).
//
// A line is a delimiter if it is CRLF "--" boundary, then white space at most, then CRLF; or "--" instead, the last one.
// What only begins so is content, byte for byte, such as the lines of a nested multipart whose boundary is longer. A
// delimiter that ends in a bare CR or LF, or has text behind white space, is refused: other software would cut there.
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

// Of a Content-Type's value. Fails with not_form_data, bad_boundary.
std::expected<std::string, MultipartError> multipart_boundary(std::string_view content_type);

class DelimiterScanner {
 public:
  static constexpr std::size_t kPaddingBytesMax = 16;  // HTTP adds none, but RFC 2046 says that transports may

  enum class Found : std::uint8_t { need_more, content, delimiter, last_delimiter, malformed };

  struct Step {
    Found found = Found::need_more;
    std::size_t consumed = 0;
    std::string_view content;  // not empty if found; within the bytes or this scanner
  };

  // `boundary` is one that multipart_boundary() gave. The first delimiter may stand at the very beginning.
  explicit DelimiterScanner(std::string_view boundary);

  // Takes bytes up to the next that was found, or all of them. Content comes in pieces; what may yet be a delimiter is
  // held back as a count, since its bytes are known. `last_delimiter` is found at its second hyphen.
  Step scan(std::string_view bytes) noexcept;

  // The bytes before the next ones were CRLF: a delimiter may follow without one of its own.
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

  std::string text_;          // CRLF "--" boundary "-": the most that may turn out to be content
  std::size_t matched_ = 0;   // bytes of delimiter() that have come
  std::size_t borrowed_ = 0;  // of these, how many are no content in any case
  std::size_t padding_bytes_ = 0;
  Tail tail_ = Tail::undecided;  // once the delimiter matched
};

}  // namespace volt::http::multipart
