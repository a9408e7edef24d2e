// SPDX-License-Identifier: MIT

#include "runtime/stream.h"

namespace volt {

Task<Result<std::size_t>> Stream::read(std::span<std::byte> into) {
  for (;;) {
    const Result<void> ready = co_await readable();
    if (!ready) co_return std::unexpected(ready.error());
    Result<std::size_t> count = try_read(into);
    if (!would_block(count)) co_return count;
  }
}

Result<bool> Stream::try_write_and_advance(std::span<const std::byte>& left) noexcept {
  while (!left.empty()) {
    const Result<std::size_t> count = try_write(left);
    if (would_block(count)) return false;
    if (!count) return std::unexpected(count.error());
    left = left.subspan(*count);
  }
  return true;
}

Task<Result<void>> Stream::write_and_advance(std::span<const std::byte>& left) {
  for (;;) {
    const Result<bool> written = try_write_and_advance(left);
    if (!written) co_return std::unexpected(written.error());
    if (*written) co_return Result<void>{};
    const Result<void> ready = co_await writable();
    if (!ready) co_return ready;
  }
}

// A loop of its own: calling write_and_advance() would cost a second coroutine frame for each write.
Task<Result<void>> Stream::write_all(std::span<const std::byte> from) {
  for (;;) {
    const Result<bool> written = try_write_and_advance(from);
    if (!written) co_return std::unexpected(written.error());
    if (*written) co_return Result<void>{};
    const Result<void> ready = co_await writable();
    if (!ready) co_return ready;
  }
}

}  // namespace volt
