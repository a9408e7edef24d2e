// SPDX-License-Identifier: MIT

#include "http/coding/message_deflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>

#include "runtime/base/check.h"
#include "runtime/base/uninitialized.h"

namespace volt::http::coding {
namespace {

constexpr std::size_t kChunkBytes = 16 * 1024;
constexpr std::string_view kFlushTail("\x00\x00\xff\xff", 4);
constexpr char kEmptyMessage = '\0';  // RFC 7692 section 7.2.3.6; zlib writes nothing for a repeated flush without data

// A reference in deflate reaches back at most as far as the window size minus this number of bytes (zlib's
// MIN_LOOKAHEAD).
constexpr std::size_t kLookaheadBytes = 262;

// Maximum number of final blocks in a message. RFC 7692 section 7.2.3.4 allows them, but each one costs a copy of the
// window. An encoder that flushes with final blocks writes one per flush, so a message with many of them is an attack.
constexpr int kRestartsMax = 16;

Bytef* input(std::string_view bytes) noexcept {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));  // zlib does not write to it
}

std::size_t room_for(const std::string& out, std::size_t out_bytes_max) noexcept {
  const std::size_t left = out_bytes_max - std::min(out.size(), out_bytes_max);
  return left < kChunkBytes ? left + 1 : kChunkBytes;  // one byte more than allowed reveals the excess
}

}  // namespace

void MessageDeflater::End::operator()(z_stream_s* stream) const noexcept {
  ::deflateEnd(stream);
  delete stream;
}

MessageDeflater::MessageDeflater(MessageWindow window) noexcept : window_(window) {
  VOLT_CHECK(window.bits >= kWindowBitsMin && window.bits <= kWindowBitsMax);
}

void MessageDeflater::deflate(std::string_view message, std::string& out) {
  if (message.empty()) {
    out.push_back(kEmptyMessage);
    return;
  }
  if (!stream_) begin(message.size());
  VOLT_UNINITIALIZED std::array<Bytef, kChunkBytes> chunk;
  do {
    const std::string_view part = message.substr(0, std::numeric_limits<uInt>::max());
    message.remove_prefix(part.size());
    stream_->next_in = input(part);
    stream_->avail_in = static_cast<uInt>(part.size());
    do {
      stream_->next_out = chunk.data();
      stream_->avail_out = static_cast<uInt>(chunk.size());
      ::deflate(stream_.get(), message.empty() ? Z_SYNC_FLUSH : Z_NO_FLUSH);
      out.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - stream_->avail_out);
    } while (stream_->avail_out == 0);
  } while (!message.empty());
  VOLT_CHECK(out.ends_with(kFlushTail));
  out.resize(out.size() - kFlushTail.size());
  if (!window_.kept) stream_.reset();
}

// Creates zlib's stream. If the window is not kept, this happens for each message, so window and tables are made no
// larger than the message requires. Most messages are short, and clearing full-size tables would cost more than
// compressing.
void MessageDeflater::begin(std::size_t message_bytes) {
  const int bits_needed = std::bit_width(message_bytes + kLookaheadBytes);
  const int bits = window_.kept ? window_.bits : std::clamp(bits_needed, kWindowBitsMin, window_.bits);
  const int memory_level = std::min(bits - 6, 8);  // blocks of up to 2^(level + 6) symbols
  auto stream = std::make_unique<z_stream>();
  const int begun =
      ::deflateInit2(stream.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, -bits, memory_level, Z_DEFAULT_STRATEGY);
  if (begun == Z_MEM_ERROR) throw std::bad_alloc();
  VOLT_CHECK(begun == Z_OK);
  stream_.reset(stream.release());
}

void MessageInflater::End::operator()(z_stream_s* stream) const noexcept {
  ::inflateEnd(stream);
  delete stream;
}

MessageInflater::MessageInflater(MessageWindow window) noexcept : window_(window) {
  VOLT_CHECK(window.bits >= kWindowBitsMin && window.bits <= kWindowBitsMax);
}

Inflated MessageInflater::inflate(std::string_view bytes, std::string& out, std::size_t out_bytes_max) {
  return run(bytes, Z_SYNC_FLUSH, out, out_bytes_max);
}

Inflated MessageInflater::finish(std::string& out, std::size_t out_bytes_max) {
  const Inflated inflated = run(kFlushTail, Z_BLOCK, out, out_bytes_max);
  if (inflated != Inflated::ok) return inflated;
  constexpr int kAtBlockEnd = 128;  // bit in inflate's data_type, with Z_BLOCK
  if ((stream_->data_type & kAtBlockEnd) == 0) return Inflated::bad_data;
  restarts_ = 0;
  if (!window_.kept) stream_.reset();
  return Inflated::ok;
}

Inflated MessageInflater::run(std::string_view bytes, int flush, std::string& out, std::size_t out_bytes_max) {
  VOLT_CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
  if (!stream_) {
    auto stream = std::make_unique<z_stream>();
    if (::inflateInit2(stream.get(), -window_.bits) != Z_OK) throw std::bad_alloc();
    stream_.reset(stream.release());
  }
  stream_->next_in = input(bytes);
  stream_->avail_in = static_cast<uInt>(bytes.size());
  VOLT_UNINITIALIZED std::array<Bytef, kChunkBytes> chunk;
  for (;;) {
    const std::size_t room = room_for(out, out_bytes_max);
    stream_->next_out = chunk.data();
    stream_->avail_out = static_cast<uInt>(room);
    const int code = ::inflate(stream_.get(), flush);
    out.append(reinterpret_cast<const char*>(chunk.data()), room - stream_->avail_out);
    if (out.size() > out_bytes_max) return Inflated::too_big;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END && !restart()) return Inflated::bad_data;
    const bool sound = code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;  // Z_BUF_ERROR: no input or no room
    if (!sound) return Inflated::bad_data;
    if (stream_->avail_in == 0 && stream_->avail_out > 0) return Inflated::ok;
  }
}

// Continues after a final block. zlib must begin a new stream there, but in RFC 7692 the stream continues with its
// window. So the window is copied to the new stream. Returns false if the message has too many final blocks.
bool MessageInflater::restart() {
  if (++restarts_ > kRestartsMax) return false;
  VOLT_UNINITIALIZED std::array<Bytef, std::size_t{1} << kWindowBitsMax> window;
  uInt window_bytes = 0;
  ::inflateGetDictionary(stream_.get(), window.data(), &window_bytes);
  ::inflateReset(stream_.get());
  if (window_bytes > 0 && ::inflateSetDictionary(stream_.get(), window.data(), window_bytes) == Z_MEM_ERROR) {
    throw std::bad_alloc();
  }
  return true;
}

}  // namespace volt::http::coding
