// SPDX-License-Identifier: MIT

// Encodes content in a content coding, piece by piece or at once.
//
// Threads: an encoder is used by one thread at a time.
// Errors: only std::bad_alloc; any input is valid.
// Memory of an encoder, measured (loadtest/micro, coding_benchmark) at the default levels. The memory is freed when
// the encoder is destroyed; reset() frees it only for br.
//          16 KiB of JSON by finish() alone   4 MiB in pieces
//   gzip   262 KiB                            262 KiB
//   br     759 KiB                            3.3 MiB
//   zstd   325 KiB                            1.8 MiB
// Keep a few encoders in an EncoderPool rather than making one for each response.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/coding/content_coding.h"

namespace volt::http::coding {

// How much of the input a client must be able to decode after a call:
//   none   nothing yet
//   flush  all input so far
//   end    all input, and no more input follows
enum class FlushMode : std::uint8_t { none, flush, end };

class Encoder {
 public:
  explicit Encoder(ContentCoding coding) noexcept : coding_(coding) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  // Encodes `in` and appends the output that is ready to `out`. All of `in` is read before the call returns.
  void update(std::string_view in, std::string& out) { encode_once(in, FlushMode::none, out); }
  // Makes all input so far decodable. Each flush costs a few bytes and some compression.
  void flush(std::string& out) { encode_once({}, FlushMode::flush, out); }
  // Encodes `last` and ends the content. Nothing more may be encoded until reset(). If update() was never called, the
  // encoder learns the size of the whole content here, and needs less memory.
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

// Encodes all of `content`, for content that is encoded once and sent often. For identity, returns `content` unchanged.
std::string encode_whole(ContentCoding coding, std::string_view content, std::optional<int> level = std::nullopt);

}  // namespace volt::http::coding
