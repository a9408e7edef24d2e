// SPDX-License-Identifier: MIT

#include "http/transport/transport.h"

namespace volt::http {

Result<std::size_t> Transport::try_read_alone(std::span<std::byte> into) noexcept {
  const std::scoped_lock lock(transferring_);
  return try_read(into);
}

Result<std::size_t> Transport::try_write_alone(std::span<const std::byte> from) noexcept {
  const std::scoped_lock lock(transferring_);
  return try_write(from);
}

void Transport::shutdown_write_alone() noexcept {
  const std::scoped_lock lock(transferring_);
  shutdown_write();
}

}  // namespace volt::http
