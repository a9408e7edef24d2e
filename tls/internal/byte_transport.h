// SPDX-License-Identifier: MIT

// ByteTransport: source and destination of ciphertext. A Session does no I/O itself; each call receives a transport.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/result.h"

namespace volt::tls::internal {

class ByteTransport {
 public:
  // Have the contract of ByteStream (runtime/stream.h): they never wait, but return operation_would_block. A read of 0
  // bytes is the end of the stream.
  [[nodiscard]] virtual Result<std::size_t> try_read(std::span<std::byte> into) noexcept = 0;
  [[nodiscard]] virtual Result<std::size_t> try_write(std::span<const std::byte> from) noexcept = 0;

 protected:
  ~ByteTransport() = default;
};

// A ByteTransport that calls a stream.
template <class Stream>
class StreamByteTransport final : public ByteTransport {
 public:
  explicit StreamByteTransport(Stream& stream) noexcept : stream_(stream) {}

  Result<std::size_t> try_read(std::span<std::byte> into) noexcept override { return stream_.try_read(into); }
  Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override { return stream_.try_write(from); }

 private:
  Stream& stream_;
};

}  // namespace volt::tls::internal
