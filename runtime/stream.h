// ByteStream: what a protocol needs of a connection. TcpStream models it, and so does what decorates one.
//
// Waiting and transferring are apart: a connection that idles holds no buffer, it takes one when there is something to
// read. try_read and try_write never wait; error operation_would_block means wait for readable() or writable().
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
