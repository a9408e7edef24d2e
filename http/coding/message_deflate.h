// SPDX-License-Identifier: MIT

// Deflate for messages, RFC 7692 section 7.2. Each message ends at a byte boundary with a sync flush, whose last four
// bytes (00 00 ff ff) are not sent. The window is kept between messages if the peers agreed to keep it.
//
// Threads: values, used by one thread at a time.
// Lifetime: zlib's memory (up to 256 KiB to deflate, 40 KiB to inflate) is allocated for the first message. It is kept
// if the window is kept; otherwise it is released at the end of each message.
// Errors: errors that a peer can cause are returned as Inflated. Lack of memory throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace volt::http::coding {

inline constexpr int kWindowBitsMax = 15;
inline constexpr int kWindowBitsMin = 9;  // zlib writes no raw stream with a window of 2^8, but reads one with 2^9

struct MessageWindow {
  int bits = kWindowBitsMax;  // 9 to 15
  bool kept = true;           // whether the window is kept from one message to the next
};

class MessageDeflater {
 public:
  explicit MessageDeflater(MessageWindow window) noexcept;

  // Appends the compressed message to `out`.
  void deflate(std::string_view message, std::string& out);

 private:
  struct End {
    void operator()(z_stream_s* stream) const noexcept;
  };
  void begin(std::size_t message_bytes);

  MessageWindow window_;
  std::unique_ptr<z_stream_s, End> stream_;
};

enum class Inflated : std::uint8_t {
  ok,
  too_big,   // `out` has one byte more than allowed
  bad_data,  // not deflate, or the message does not end at the end of a block
};

class MessageInflater {
 public:
  explicit MessageInflater(MessageWindow window) noexcept;

  // Decompresses the message's next bytes (at most 2^32 - 1) and appends the result to `out`. Returns too_big if `out`
  // then has more than `out_bytes_max` bytes. Must not be called after an error.
  Inflated inflate(std::string_view bytes, std::string& out, std::size_t out_bytes_max);
  // Ends the message, and appends the rest of its content to `out`.
  Inflated finish(std::string& out, std::size_t out_bytes_max);

 private:
  struct End {
    void operator()(z_stream_s* stream) const noexcept;
  };
  Inflated run(std::string_view bytes, int flush, std::string& out, std::size_t out_bytes_max);
  bool restart();

  MessageWindow window_;
  int restarts_ = 0;  // final blocks in the current message
  std::unique_ptr<z_stream_s, End> stream_;
};

}  // namespace volt::http::coding
