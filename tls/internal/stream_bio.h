// SPDX-License-Identifier: MIT

// Adapts a stream to libssl: a BIO that calls the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/stream.h"
#include "tls/internal/handles.h"

namespace volt::tls::internal {

// State shared by a BIO and its session.
//
// libssl writes a flight of the handshake in several calls, and each ticket of TLS 1.3 in another. These writes are
// gathered here, so that the stream receives one write.
struct BioState {
  volt::Stream* next = nullptr;            // the stream below, for the current call
  std::error_code failure;                 // first error of the stream other than operation_would_block
  std::size_t read_bytes_left = SIZE_MAX;  // at 0, reads report that they would block
  bool ended = false;                      // whether the stream is at its end
  bool began = false;                      // whether a byte was read
  // Whether the first byte is a letter. No TLS record begins with a letter (RFC 8446 section 5.1), every HTTP method
  // does.
  bool plain = false;
  bool gathers = false;             // whether written bytes are appended to `gathered` instead of sent
  std::vector<std::byte> gathered;  // bytes to be sent before, or together with, the next bytes that are not gathered
  std::string server_name;          // host name of the client (SNI)

  // Writes the gathered bytes. Returns false if the stream accepts no more now, or has failed.
  [[nodiscard]] bool flush() noexcept;
  void drop_gathered() noexcept { std::vector<std::byte>().swap(gathered); }  // frees the memory, too
};

[[nodiscard]] BioState& bio_state_of(const SSL* ssl) noexcept;

// Makes a BIO; null if libssl is out of memory. `bio_state` must outlive the BIO. Once `bio_state.plain` is true the
// BIO neither reads nor writes, so that the caller can respond in plain text.
[[nodiscard]] BioHandle make_stream_bio(BioState& bio_state);

}  // namespace volt::tls::internal
