// multipart/form-data (RFC 7578, RFC 2046 section 5.1): bytes in, in any pieces, parts out.
//
//   MultipartParser parser(boundary);
//   for (each piece of the body) {
//     for (;;) {
//       const auto step = parser.feed(piece);              // an error: 400, and nothing after it is parsed
//       piece.remove_prefix(step->consumed);
//       if (step->event == MultipartEvent::need_more) break;
//       ...                                                // part_begin: parser.part(); part_data: step->data
//     }
//   }
//   parser.finish();                                       // an error: the body ended too early
//
// A nested multipart, which RFC 7578 section 4.3 deprecates, is content like any other. All that is kept between two
// calls is the head of one part: content is never copied.
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
#include "http/multipart/internal/multipart_limits.h"
#include "http/multipart/internal/multipart_part.h"

namespace volt::http::multipart {

enum class MultipartEvent : std::uint8_t {
  need_more,   // every byte was taken
  part_begin,  // part() is the new one
  part_data,   // the next piece of its content
  part_end,
  end,  // behind the last part; once. More bytes may follow, and are passed over.
};

struct MultipartStep {
  MultipartEvent event = MultipartEvent::need_more;
  std::size_t consumed = 0;  // bytes off the front, perhaps none
  std::string_view data;     // of part_data, not empty; within the bytes or the parser, so valid until the next call

  bool operator==(const MultipartStep&) const = default;
};

class MultipartParser {
 public:
  // `boundary` is one that multipart_boundary() gave.
  explicit MultipartParser(std::string_view boundary, const MultipartLimits& limits = {})
      : limits_(limits), scanner_(boundary) {}

  // Takes bytes up to the next event. After an error every call fails with it.
  std::expected<MultipartStep, MultipartError> feed(std::string_view bytes);

  // The body is over. Fails with incomplete, or with the error that feed() gave.
  std::expected<void, MultipartError> finish() const noexcept;

  // Valid until the next part_begin.
  const MultipartPart& part() const noexcept { return part_; }

 private:
  enum class State : std::uint8_t {
    preamble,
    head,
    content,
    ended,         // the event is still to be given
    last_padding,  // behind the "--" of the last delimiter
    last_feed,     // behind its CR
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
  std::size_t outside_bytes_ = 0;  // of the preamble, then of the epilogue
  std::size_t parts_ = 0;
  std::string head_;            // of the part that is coming
  std::size_t line_begin_ = 0;  // of the line that is coming, in head_
  std::size_t fields_ = 0;
  MultipartPart part_;
};

}  // namespace volt::http::multipart
