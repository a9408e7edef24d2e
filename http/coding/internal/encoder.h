// Content into a content coding, piece by piece or at once.
//
// Threads: an encoder is used by one thread at a time.
// Errors: none but std::bad_alloc; what comes in cannot be wrong.
// Memory, measured (loadtest/micro, coding_benchmark) at the default levels, until the encoder dies or is reset:
//          16 KiB of JSON by finish() alone   4 MiB in pieces
//   gzip   262 KiB                            262 KiB
//   br     759 KiB                            3.3 MiB
//   zstd   325 KiB                            1.8 MiB (and kept by reset)
// Keep a few with EncoderPool rather than making one for each answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/coding/content_coding.h"

namespace volt::http::coding {

// What is to be decodable once a piece is encoded: nothing yet; all so far; all, and no more follows.
enum class FlushMode : std::uint8_t { none, flush, end };

class Encoder {
 public:
  explicit Encoder(ContentCoding coding) noexcept : coding_(coding) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  // Each appends to `out` what is ready, and reads `in` before it returns.
  void update(std::string_view in, std::string& out) { encode_once(in, FlushMode::none, out); }
  // Everything so far becomes decodable. Costs a few bytes and some of the ratio each time.
  void flush(std::string& out) { encode_once({}, FlushMode::flush, out); }
  // Ends the content, after a last piece. Until reset(), nothing more may come. An encoder that had no update() before
  // knows the whole size here, and makes better use of its memory.
  void finish(std::string& out) { finish({}, out); }
  void finish(std::string_view last, std::string& out) { encode_once(last, FlushMode::end, out); }
  // As new, at whatever point it was.
  void reset();

  ContentCoding coding() const noexcept { return coding_; }

 private:
  virtual void encode(std::string_view in, FlushMode flush_mode, std::string& out) = 0;
  virtual void restart() = 0;

  void encode_once(std::string_view in, FlushMode flush_mode, std::string& out);

  ContentCoding coding_;
  bool finished_ = false;
};

// Without a level, default_level(coding); beyond the library's (gzip 1..9, br 0..11, zstd 1..19), the nearest.
// `coding` must be one that can_encode().
std::unique_ptr<Encoder> make_encoder(ContentCoding coding, std::optional<int> level = std::nullopt);

// All of `content`, for content that is encoded once and sent often. Identity gives it back.
std::string encode_whole(ContentCoding coding, std::string_view content, std::optional<int> level = std::nullopt);

}  // namespace volt::http::coding
