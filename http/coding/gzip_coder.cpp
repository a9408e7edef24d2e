// SPDX-License-Identifier: MIT

// zlib: encodes and decodes gzip (RFC 1952), and decodes the zlib format (RFC 1950).
//
// `deflate` is the zlib format, as RFC 9110 section 8.4.1.2 defines. Some clients send raw deflate under this name. Raw
// deflate is refused, since two recipients that guess the format may decode different content.
#include <new>

#include "http/coding/internal/coders.h"
#include "http/coding/internal/output_step.h"
#include "runtime/base/check.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

namespace volt::http::coding {
namespace {

constexpr int kGzipWindowBits = 15;  // 32 KiB, the format's largest window: 128 KiB of an encoder's memory
constexpr int kGzipFormat = 16;      // added to the window bits: selects gzip's header and checksum instead of zlib's
constexpr int kMemoryLevel = 8;      // 128 KiB more for hash chains and symbols; zlib's default

// zlib counts bytes in 32 bits.
constexpr std::size_t kPieceBytesMax = std::numeric_limits<uInt>::max();

const Bytef* bytes_of(std::string_view text) noexcept { return reinterpret_cast<const Bytef*>(text.data()); }

class GzipEncoder final : public Encoder {
 public:
  explicit GzipEncoder(int level) : Encoder(ContentCoding::gzip) {
    const int made = deflateInit2(&stream_, std::clamp(level, 1, 9), Z_DEFLATED, kGzipWindowBits + kGzipFormat,
                                  kMemoryLevel, Z_DEFAULT_STRATEGY);
    if (made == Z_MEM_ERROR) throw std::bad_alloc();
    VOLT_CHECK(made == Z_OK);
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }

 private:
  void encode(std::string_view in, FlushMode flush_mode, std::string& out) override {
    for (; in.size() > kPieceBytesMax; in.remove_prefix(kPieceBytesMax)) {
      deflate_all(in.substr(0, kPieceBytesMax), Z_NO_FLUSH, out);
    }
    deflate_all(in, flush_for(flush_mode), out);
  }

  void restart() override { VOLT_CHECK(deflateReset(&stream_) == Z_OK); }

  static int flush_for(FlushMode flush_mode) noexcept {
    switch (flush_mode) {
        // clang-format off
      case FlushMode::none:  return Z_NO_FLUSH;
      case FlushMode::flush: return Z_SYNC_FLUSH;
      case FlushMode::end:   return Z_FINISH;
        // clang-format on
    }
    std::unreachable();
  }

  // Ends when a call leaves room in the output, because zlib has then written all it can. Z_BUF_ERROR is not an error
  // here: it means that there was nothing to do.
  void deflate_all(std::string_view in, int flush, std::string& out) {
    stream_.next_in = bytes_of(in);
    stream_.avail_in = static_cast<uInt>(in.size());
    std::size_t written = kOutputStepBytes;
    while (written == kOutputStepBytes) {
      written = append_written(out, kOutputStepBytes, [&](char* room) noexcept {
        stream_.next_out = reinterpret_cast<Bytef*>(room);
        stream_.avail_out = kOutputStepBytes;
        VOLT_CHECK(deflate(&stream_, flush) != Z_STREAM_ERROR);
        return kOutputStepBytes - stream_.avail_out;
      });
    }
  }

  z_stream stream_{};
};

class InflateDecoder : public Decoder {
 public:
  InflateDecoder(const DecodeLimits& limits, int window_bits) : Decoder(limits) {
    const int made = inflateInit2(&stream_, window_bits);
    if (made == Z_MEM_ERROR) throw std::bad_alloc();
    VOLT_CHECK(made == Z_OK);
  }
  ~InflateDecoder() override { inflateEnd(&stream_); }

 protected:
  z_stream stream_{};

 private:
  std::expected<Progress, DecodeError> advance(std::string_view in, char* room,
                                               std::size_t room_bytes) noexcept override {
    const std::string_view piece = in.substr(0, kPieceBytesMax);
    stream_.next_in = bytes_of(piece);
    stream_.avail_in = static_cast<uInt>(piece.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room);
    stream_.avail_out = static_cast<uInt>(room_bytes);
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    if (outcome == Z_MEM_ERROR) return std::unexpected(DecodeError::out_of_memory);
    const bool progressing = outcome == Z_OK || outcome == Z_STREAM_END || outcome == Z_BUF_ERROR;
    if (!progressing) return std::unexpected(DecodeError::malformed);  // also Z_NEED_DICT: HTTP has no dictionaries
    return Progress{piece.size() - stream_.avail_in, room_bytes - stream_.avail_out, outcome == Z_STREAM_END};
  }
};

class GzipDecoder final : public InflateDecoder {
 public:
  explicit GzipDecoder(const DecodeLimits& limits) : InflateDecoder(limits, kGzipWindowBits + kGzipFormat) {}

 private:
  bool begin_next_member() noexcept override { return inflateReset(&stream_) == Z_OK; }
};

}  // namespace

std::unique_ptr<Encoder> make_gzip_encoder(int level) { return std::make_unique<GzipEncoder>(level); }
std::unique_ptr<Decoder> make_gzip_decoder(const DecodeLimits& limits) { return std::make_unique<GzipDecoder>(limits); }
std::unique_ptr<Decoder> make_deflate_decoder(const DecodeLimits& limits) {
  return std::make_unique<InflateDecoder>(limits, kGzipWindowBits);
}

}  // namespace volt::http::coding
