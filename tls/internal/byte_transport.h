// ByteTransport: where the ciphertext comes from and goes to. The engine does no I/O of its own: it is handed one in each call.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/result.h"

namespace volt::tls::internal {

class ByteTransport {
 public:
  // As ByteStream has them (runtime/stream.h): never waiting, error operation_would_block; a read of 0 is the end.
  [[nodiscard]] virtual Result<std::size_t> try_read(std::span<std::byte> into) noexcept = 0;
  [[nodiscard]] virtual Result<std::size_t> try_write(std::span<const std::byte> from) noexcept = 0;

 protected:
  ~ByteTransport() = default;
};

// A stream as a transport.
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
