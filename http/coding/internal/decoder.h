// SPDX-License-Identifier: MIT

// Decodes content piece by piece. A call never produces more bytes than the caller allows, so a decompression bomb
// cannot make it allocate memory.
//
// Threads: a decoder is used by one thread at a time.
// Errors: DecodeError; after the first error every call returns that error. std::bad_alloc if `out` cannot grow.
// Memory, measured: gzip and deflate 39 KiB. br and zstd hold the window that the content requests, at most 16 MiB for
// br and 8 MiB for zstd, plus 0.5 MiB. For content encoded by Volt, br takes 273 KiB and zstd 734 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/coding/content_coding.h"
#include "http/coding/decode_limits.h"
#include "http/coding/internal/decode_meter.h"
#include "http/message/status.h"

namespace volt::http::coding {

enum class DecodeError : std::uint8_t {
  malformed,         // not in the stated coding, or the checksum differs
  truncated,         // the input ended before the coding's end
  trailing_data,     // data follows the coding's end
  too_large,         // over bytes_max or ratio_max: possibly a bomb
  too_many_members,  // over members_max
  window_too_large,  // zstd: over 8 MiB, which RFC 8878 section 3.1.1.1.2 lets a decoder refuse
  out_of_memory,
};

constexpr Status status_for(DecodeError error) noexcept {
  switch (error) {
      // clang-format off
    case DecodeError::malformed:        return Status::bad_request;
    case DecodeError::truncated:        return Status::bad_request;
    case DecodeError::trailing_data:    return Status::bad_request;
    case DecodeError::too_large:        return Status::content_too_large;
    case DecodeError::too_many_members: return Status::content_too_large;
    case DecodeError::window_too_large: return Status::content_too_large;
    case DecodeError::out_of_memory:    return Status::service_unavailable;
      // clang-format on
  }
  std::unreachable();
}

// Returns the detail of the error response.
constexpr std::string_view to_sentence(DecodeError error) noexcept {
  switch (error) {
    case DecodeError::malformed:
      return "the body is not valid in its Content-Encoding";
    case DecodeError::truncated:
      return "the body ends before the end of its Content-Encoding";
    case DecodeError::trailing_data:
      return "data follows the end of the body's Content-Encoding";
    case DecodeError::too_large:
      return "the decoded body is too large, or much larger than the coded one";
    case DecodeError::too_many_members:
      return "the body has too many members in its Content-Encoding";
    case DecodeError::window_too_large:
      return "the body's Content-Encoding needs a window of more than 8 MiB";
    case DecodeError::out_of_memory:
      return "there is not enough memory to decode the body";
  }
  std::unreachable();
}

struct DecodeStep {
  std::size_t consumed = 0;  // bytes from the front of the input; all of it, unless output_full
  bool output_full = false;  // there may be more output: call again with the remaining input, even if it is empty
  bool finished = false;     // the content may end here

  bool operator==(const DecodeStep&) const = default;
};

class Decoder {
 public:
  explicit Decoder(const DecodeLimits& limits) noexcept : limits_(limits) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  // Decodes input and appends at most `out_bytes_max` (at least 1) bytes to `out`. Appends nothing if it fails.
  std::expected<DecodeStep, DecodeError> update(std::string_view in, std::string& out, std::size_t out_bytes_max);
  // Checks that the content was complete; call after the last input. Fails with truncated, also for empty content, or
  // with the error that update() returned.
  std::expected<void, DecodeError> finish() const noexcept;

 protected:
  struct Progress {
    std::size_t consumed = 0;
    std::size_t written = 0;
    bool member_ended = false;
  };

 private:
  // Makes one call of the compression library. `room_bytes` is not 0. If there is input, the call consumes or writes at
  // least one byte, or it ends the member. If the call does not fill the room, the decoder has nothing more to write.
  virtual std::expected<Progress, DecodeError> advance(std::string_view in, char* room,
                                                       std::size_t room_bytes) noexcept = 0;
  // Prepares for another member. Returns false if the coding has only one.
  virtual bool begin_next_member() noexcept { return false; }

  std::expected<DecodeStep, DecodeError> decode(std::string_view in, std::string& out, std::size_t out_bytes_max);
  std::expected<void, DecodeError> enter_next_member() noexcept;
  std::expected<Progress, DecodeError> append(std::string_view in, std::string& out, std::size_t room_bytes);

  DecodeLimits limits_;
  DecodeMeter meter_;
  std::uint32_t members_ = 1;
  bool member_ended_ = false;
  bool output_full_ = false;
  std::optional<DecodeError> error_;
};

// Makes a decoder. `coding` must not be identity.
std::unique_ptr<Decoder> make_decoder(ContentCoding coding, const DecodeLimits& limits);

// Decodes all of `coded`, in memory bounded by `limits`. For identity, returns `coded` unchanged unless it exceeds
// bytes_max.
std::expected<std::string, DecodeError> decode_whole(ContentCoding coding, std::string_view coded,
                                                     const DecodeLimits& limits);

}  // namespace volt::http::coding
