// SPDX-License-Identifier: MIT

// brotli, RFC 7932. The extension for large windows is not used, because browsers do not support it.
#include <brotli/decode.h>
#include <brotli/encode.h>

#include <algorithm>
#include <new>

#include "http/coding/internal/coders.h"
#include "runtime/base/check.h"

namespace volt::http::coding {
namespace {

// A window of 256 KiB. Pages and JSON would gain little from a larger window, and each encoder would keep that memory.
constexpr std::uint32_t kBrotliWindowBits = 18;

// Without a size hint, the encoder assumes that the first piece is the whole content. If that piece is large, it
// allocates tables of 4 MiB.
constexpr std::uint32_t kSizeHintBytes = 256 * 1024;

const std::uint8_t* brotli_bytes(std::string_view text) noexcept {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

struct BrotliEncoderDeleter {
  void operator()(BrotliEncoderState* state) const noexcept { BrotliEncoderDestroyInstance(state); }
};
struct BrotliDecoderDeleter {
  void operator()(BrotliDecoderState* state) const noexcept { BrotliDecoderDestroyInstance(state); }
};

class BrotliEncoder final : public Encoder {
 public:
  explicit BrotliEncoder(int level)
      : Encoder(ContentCoding::br), quality_(std::clamp(level, BROTLI_MIN_QUALITY, BROTLI_MAX_QUALITY)) {
    restart();
  }

 private:
  void encode(std::string_view in, FlushMode flush_mode, std::string& out) override {
    const BrotliEncoderOperation operation = operation_for(flush_mode);
    std::size_t in_left = in.size();
    const std::uint8_t* next_in = brotli_bytes(in);
    do {
      std::size_t no_room = 0;
      const bool encoded =
          BrotliEncoderCompressStream(state_.get(), operation, &in_left, &next_in, &no_room, nullptr, nullptr);
      if (!encoded) throw std::bad_alloc();
      take_output(out);
    } while (in_left > 0 || BrotliEncoderHasMoreOutput(state_.get()));
  }

  // Makes a new encoder, because brotli has no function to reset one.
  void restart() override {
    state_.reset(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr));
    if (!state_) throw std::bad_alloc();
    const bool taken =
        BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_QUALITY, static_cast<std::uint32_t>(quality_)) &&
        BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_LGWIN, kBrotliWindowBits) &&
        BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_SIZE_HINT, kSizeHintBytes);
    VOLT_CHECK(taken);
  }

  static BrotliEncoderOperation operation_for(FlushMode flush_mode) noexcept {
    switch (flush_mode) {
        // clang-format off
      case FlushMode::none:  return BROTLI_OPERATION_PROCESS;
      case FlushMode::flush: return BROTLI_OPERATION_FLUSH;
      case FlushMode::end:   return BROTLI_OPERATION_FINISH;
        // clang-format on
    }
    std::unreachable();
  }

  // Copies the output from the encoder's own buffer, which holds at most one finished block. Otherwise the size of a
  // buffer for the output would have to be guessed.
  void take_output(std::string& out) {
    while (BrotliEncoderHasMoreOutput(state_.get())) {
      std::size_t taken = 0;
      const std::uint8_t* bytes = BrotliEncoderTakeOutput(state_.get(), &taken);
      out.append(reinterpret_cast<const char*>(bytes), taken);
    }
  }

  int quality_;
  std::unique_ptr<BrotliEncoderState, BrotliEncoderDeleter> state_;
};

class BrotliDecoder final : public Decoder {
 public:
  explicit BrotliDecoder(const DecodeLimits& limits)
      : Decoder(limits), state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (!state_) throw std::bad_alloc();
  }

 private:
  std::expected<Progress, DecodeError> advance(std::string_view in, char* room,
                                               std::size_t room_bytes) noexcept override {
    std::size_t in_left = in.size();
    const std::uint8_t* next_in = brotli_bytes(in);
    std::size_t room_left = room_bytes;
    auto* next_out = reinterpret_cast<std::uint8_t*>(room);
    const BrotliDecoderResult outcome =
        BrotliDecoderDecompressStream(state_.get(), &in_left, &next_in, &room_left, &next_out, nullptr);
    if (outcome == BROTLI_DECODER_RESULT_ERROR) return std::unexpected(error());
    return Progress{in.size() - in_left, room_bytes - room_left, outcome == BROTLI_DECODER_RESULT_SUCCESS};
  }

  DecodeError error() const noexcept {
    const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_.get());
    const bool unallocated =
        code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    return unallocated ? DecodeError::out_of_memory : DecodeError::malformed;
  }

  std::unique_ptr<BrotliDecoderState, BrotliDecoderDeleter> state_;
};

}  // namespace

std::unique_ptr<Encoder> make_brotli_encoder(int level) { return std::make_unique<BrotliEncoder>(level); }
std::unique_ptr<Decoder> make_brotli_decoder(const DecodeLimits& limits) {
  return std::make_unique<BrotliDecoder>(limits);
}

}  // namespace volt::http::coding
