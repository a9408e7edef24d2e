// Wire: where the ciphertext comes from and goes to. The engine does no I/O of its own: it is handed one in each call.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/result.h"

namespace volt::tls::internal {

class Wire {
 public:
  // As ByteStream has them (runtime/stream.h): never waiting, error operation_would_block; a read of 0 is the end.
  [[nodiscard]] virtual Result<std::size_t> try_read(std::span<std::byte> into) noexcept = 0;
  [[nodiscard]] virtual Result<std::size_t> try_write(std::span<const std::byte> from) noexcept = 0;

 protected:
  ~Wire() = default;
};

// A stream as a wire.
template <class Stream>
class StreamWire final : public Wire {
 public:
  explicit StreamWire(Stream& stream) noexcept : stream_(stream) {}

  Result<std::size_t> try_read(std::span<std::byte> into) noexcept override { return stream_.try_read(into); }
  Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override { return stream_.try_write(from); }

 private:
  Stream& stream_;
};

}  // namespace volt::tls::internal
