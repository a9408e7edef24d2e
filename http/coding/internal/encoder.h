// SPDX-License-Identifier: MIT

// Encodes content in a content coding, piece by piece or at once.
//
// Threads: an encoder is used by one thread at a time.
// Errors: only std::bad_alloc; any input is valid.
// Memory, measured (loadtest/micro, coding_benchmark) at the default levels, until the encoder is destroyed or reset:
//          16 KiB of JSON by finish() alone   4 MiB in pieces
//   gzip   262 KiB                            262 KiB
//   br     759 KiB                            3.3 MiB
//   zstd   325 KiB                            1.8 MiB (and kept by reset)
// Keep a few encoders in an EncoderPool rather than making one for each response.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/coding/content_coding.h"

namespace volt::http::coding {

// The input that must be decodable after a call: none yet (none), all so far (flush), or all, and no more follows
// (end).
enum class FlushMode : std::uint8_t { none, flush, end };

class Encoder {
 public:
  explicit Encoder(ContentCoding coding) noexcept : coding_(coding) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  // Appends the output that is ready to `out`. All of `in` is read before the call returns.
  void update(std::string_view in, std::string& out) { encode_once(in, FlushMode::none, out); }
  // Makes all input so far decodable. Each flush costs a few bytes and some compression.
  void flush(std::string& out) { encode_once({}, FlushMode::flush, out); }
  // Ends the content, after a last piece. Nothing more may be encoded until reset(). If update() was never called, the
  // encoder knows the whole size here and uses its memory better.
  void finish(std::string& out) { finish({}, out); }
  void finish(std::string_view last, std::string& out) { encode_once(last, FlushMode::end, out); }
  // Returns the encoder to its initial state, from any state.
  void reset();

  ContentCoding coding() const noexcept { return coding_; }

 private:
  virtual void encode(std::string_view in, FlushMode flush_mode, std::string& out) = 0;
  virtual void restart() = 0;

  void encode_once(std::string_view in, FlushMode flush_mode, std::string& out);

  ContentCoding coding_;
  bool finished_ = false;
};

// Makes an encoder. Without a level, default_level(coding) is used; a level outside the library's range (gzip 1..9, br
// 0..11, zstd 1..19) is clamped. `coding` must satisfy can_encode().
std::unique_ptr<Encoder> make_encoder(ContentCoding coding, std::optional<int> level = std::nullopt);

// Encodes all of `content`; for content that is encoded once and sent often. Identity returns it unchanged.
std::string encode_whole(ContentCoding coding, std::string_view content, std::optional<int> level = std::nullopt);

}  // namespace volt::http::coding
