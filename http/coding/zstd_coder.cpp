// SPDX-License-Identifier: MIT

// zstd, RFC 8878, with windows of at most 8 MiB, which RFC 9659 allows for content codings.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#include "http/coding/internal/coders.h"
#include "http/coding/internal/output_step.h"
#include "runtime/base/check.h"

namespace volt::http::coding {
namespace {

constexpr int kEncoderWindowBits = 18;  // 256 KiB; the default of level 3 is 2 MiB, which the encoder would keep
constexpr int kDecoderWindowBitsMax = 23;
constexpr std::size_t kFrameHeaderBytesMax = 18;  // RFC 8878 section 3.1.1: magic number and 2 to 14 bytes
constexpr int kLevelMin = 1;
constexpr int kLevelMax = 19;  // above this level, the window would exceed the allowed size

struct ZstdEncoderDeleter {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};
struct ZstdDecoderDeleter {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

class ZstdEncoder final : public Encoder {
 public:
  explicit ZstdEncoder(int level) : Encoder(ContentCoding::zstd), context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    set(ZSTD_c_compressionLevel, std::clamp(level, kLevelMin, kLevelMax));
    set(ZSTD_c_windowLog, kEncoderWindowBits);
  }

 private:
  // Encodes `in`. With FlushMode::none, ends when the input is consumed; otherwise ends when the encoder reports that
  // no output is left inside it.
  void encode(std::string_view in, FlushMode flush_mode, std::string& out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    for (bool done = false; !done;) {
      std::size_t inside = 0;
      append_written(out, kOutputStepBytes, [&](char* room) noexcept {
        ZSTD_outBuffer output{room, kOutputStepBytes, 0};
        inside = ZSTD_compressStream2(context_.get(), &output, &input, directive_for(flush_mode));
        return output.pos;
      });
      if (ZSTD_isError(inside)) throw std::bad_alloc();  // with valid parameters, the only possible error
      done = flush_mode == FlushMode::none ? input.pos == input.size : inside == 0;
    }
  }

  void restart() override {
    const std::size_t outcome = ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
    VOLT_CHECK(!ZSTD_isError(outcome));
  }

  static ZSTD_EndDirective directive_for(FlushMode flush_mode) noexcept {
    switch (flush_mode) {
        // clang-format off
      case FlushMode::none:  return ZSTD_e_continue;
      case FlushMode::flush: return ZSTD_e_flush;
      case FlushMode::end:   return ZSTD_e_end;
        // clang-format on
    }
    std::unreachable();
  }

  void set(ZSTD_cParameter parameter, int value) {
    const std::size_t outcome = ZSTD_CCtx_setParameter(context_.get(), parameter, value);
    VOLT_CHECK(!ZSTD_isError(outcome));
  }

  std::unique_ptr<ZSTD_CCtx, ZstdEncoderDeleter> context_;
};

// Returns whether `first` is the first byte of a magic number: that of a frame (RFC 8878 section 3.1.1) or of a
// skippable frame (section 3.1.2). Formats older than the RFC begin with other bytes. They are refused, so that
// libzstd's decoders for these formats do not receive untrusted input.
bool begins_frame(char first) noexcept { return first == '\x28' || (first >= '\x50' && first <= '\x5f'); }

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(const DecodeLimits& limits) : Decoder(limits), context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    frame_header_.reserve(kFrameHeaderBytesMax);  // advance() must not throw
    const std::size_t outcome = ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kDecoderWindowBitsMax);
    VOLT_CHECK(!ZSTD_isError(outcome));
  }

 private:
  std::expected<Progress, DecodeError> advance(std::string_view in, char* room,
                                               std::size_t room_bytes) noexcept override {
    if (frame_header_.empty()) {
      if (!begins_frame(in.front())) return std::unexpected(DecodeError::malformed);
      // libzstd decodes a whole frame that it receives at once in another way than a frame in pieces, and the two ways
      // do not refuse the same frames. Passing the first byte alone forces the second way, so that the result does not
      // depend on how the input is split.
      in = in.substr(0, 1);
    }
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{room, room_bytes, 0};
    const std::size_t outcome = ZSTD_decompressStream(context_.get(), &output, &input);
    if (ZSTD_isError(outcome)) return std::unexpected(error_for(outcome));
    frame_header_.append(in.substr(0, std::min(input.pos, kFrameHeaderBytesMax - frame_header_.size())));
    frame_bytes_ += output.pos;
    const bool frame_ended = outcome == 0;
    if (frame_ended && !has_promised_size()) return std::unexpected(DecodeError::malformed);
    return Progress{input.pos, output.pos, frame_ended};
  }

  // There is nothing to reset in libzstd: its context is ready for another frame as soon as one ends.
  bool begin_next_member() noexcept override {
    frame_header_.clear();
    frame_bytes_ = 0;
    return true;
  }

  // Returns whether the frame is as long as its header states (RFC 8878 section 3.1.1.1.4). libzstd checks this too,
  // but not for a streamed frame whose last block is empty.
  bool has_promised_size() const noexcept {
    const unsigned long long promised = ZSTD_getFrameContentSize(frame_header_.data(), frame_header_.size());
    return promised == ZSTD_CONTENTSIZE_UNKNOWN || promised == frame_bytes_;
  }

  static DecodeError error_for(std::size_t outcome) noexcept {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(outcome);
    if (code == ZSTD_error_frameParameter_windowTooLarge) return DecodeError::window_too_large;
    if (code == ZSTD_error_memory_allocation) return DecodeError::out_of_memory;
    return DecodeError::malformed;
  }

  std::unique_ptr<ZSTD_DCtx, ZstdDecoderDeleter> context_;
  std::string frame_header_;  // the frame's first bytes, at most kFrameHeaderBytesMax
  std::uint64_t frame_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Encoder> make_zstd_encoder(int level) { return std::make_unique<ZstdEncoder>(level); }
std::unique_ptr<Decoder> make_zstd_decoder(const DecodeLimits& limits) { return std::make_unique<ZstdDecoder>(limits); }

}  // namespace volt::http::coding
