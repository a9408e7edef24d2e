// SPDX-License-Identifier: MIT

// ByteStream: the operations that a protocol needs of a connection. TcpStream models this concept, and so do types that
// wrap a stream.
//
// Waiting and transferring are separate: an idle connection holds no buffer and takes one only when there is data to
// read. try_read and try_write never wait; the error operation_would_block means that the caller must wait for
// readable() or writable().
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <span>

#include "runtime/result.h"

namespace volt {

// A limit for set_read_deadline_in() and set_write_deadline_in() that sets no deadline.
inline constexpr std::chrono::nanoseconds kNoDeadline = std::chrono::nanoseconds::max();

template <class T>
concept ByteStream =
    requires(T stream, std::span<std::byte> into, std::span<const std::byte> from, std::chrono::nanoseconds limit) {
      { stream.try_read(into) } -> std::same_as<Result<std::size_t>>;
      { stream.try_write(from) } -> std::same_as<Result<std::size_t>>;
      stream.readable();
      stream.writable();
      stream.set_read_deadline_in(limit);
      stream.set_write_deadline_in(limit);
      stream.shutdown_write();
    };

}  // namespace volt
