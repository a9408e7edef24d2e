// SPDX-License-Identifier: MIT

// MultipartParser: an incremental parser of multipart/form-data (RFC 7578, RFC 2046 section 5.1). The bytes may be
// split anywhere.
//
//   MultipartParser parser(boundary);
//   for (each piece of the body) {
//     for (;;) {
//       const auto step = parser.feed(piece);              // an error: 400; no further bytes are parsed
//       piece.remove_prefix(step->consumed);
//       if (step->event == MultipartEvent::need_more) break;
//       ...                                                // part_begin: parser.part(); part_data: step->data
//     }
//   }
//   parser.finish();                                       // an error: the body ended too early
//
// A nested multipart, which RFC 7578 section 4.3 deprecates, is treated as content. Between two calls the parser stores
// only the head of one part; content is never copied.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "http/multipart/internal/multipart_boundary.h"
#include "http/multipart/internal/multipart_error.h"
#include "http/multipart/internal/multipart_part.h"
#include "http/multipart/multipart_limits.h"

namespace volt::http::multipart {

enum class MultipartEvent : std::uint8_t {
  need_more,   // All bytes were consumed.
  part_begin,  // part() is the new part.
  part_data,   // The next piece of the part's content.
  part_end,
  end,  // After the last part, once. Further bytes are skipped.
};

struct MultipartStep {
  MultipartEvent event = MultipartEvent::need_more;
  std::size_t consumed = 0;  // Number of bytes consumed from the front; may be 0.
  std::string_view data;     // Not empty for part_data; a view into the bytes or the parser, valid until the next call.

  bool operator==(const MultipartStep&) const = default;
};

class MultipartParser {
 public:
  // `boundary` must come from multipart_boundary().
  explicit MultipartParser(std::string_view boundary, const MultipartLimits& limits = {})
      : limits_(limits), scanner_(boundary) {}

  // Consumes bytes up to the next event. After an error, every call returns that error.
  std::expected<MultipartStep, MultipartError> feed(std::string_view bytes);

  // Ends the body. Errors: incomplete, or the error that feed() returned.
  std::expected<void, MultipartError> finish() const noexcept;

  // Valid until the next part_begin.
  const MultipartPart& part() const noexcept { return part_; }

 private:
  enum class State : std::uint8_t {
    preamble,
    head,
    content,
    ended,         // The event has not been reported yet.
    last_padding,  // After the "--" of the last delimiter.
    last_feed,     // After the CR that follows the last delimiter.
    epilogue,
  };
  using Outcome = std::expected<MultipartStep, MultipartError>;

  Outcome advance(std::string_view bytes);
  Outcome take_preamble(std::string_view bytes);
  Outcome take_head(std::string_view bytes);
  Outcome take_head_line();
  Outcome take_content(std::string_view bytes);
  Outcome take_epilogue(std::string_view bytes);
  bool take_last_line_byte(char c) noexcept;
  Outcome begin_head(MultipartStep step);
  MultipartStep end_form(MultipartStep step) noexcept;

  MultipartLimits limits_;
  DelimiterScanner scanner_;
  State state_ = State::preamble;
  std::optional<MultipartError> error_;
  std::size_t outside_bytes_ = 0;  // Size of the preamble, then of the epilogue.
  std::size_t parts_ = 0;
  std::string head_;            // Head of the part that is being received.
  std::size_t line_begin_ = 0;  // Begin of the line that is being received, in head_.
  std::size_t fields_ = 0;
  MultipartPart part_;
};

}  // namespace volt::http::multipart
