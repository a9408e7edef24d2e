// SPDX-License-Identifier: MIT

// ForwardingStream: a stream that forwards every call to the stream below it. The base of layers, which override what
// they change: a layer that changes bytes overrides try_read() and try_write(), and leaves the waits to the socket.
//
// Threads: as for the stream below. Lifetime: the stream below must outlive it.
#pragma once

#include "runtime/stream.h"

namespace volt {

class ForwardingStream : public Stream {
 public:
  [[nodiscard]] net::ReadyWait readable() noexcept override { return below_->readable(); }
  [[nodiscard]] net::ReadyWait writable() noexcept override { return below_->writable(); }
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    return below_->try_read(into);
  }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    return below_->try_write(from);
  }
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { below_->set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept override { below_->set_write_deadline_in(limit); }
  void expect_more() noexcept override { below_->expect_more(); }
  void interrupt_read() noexcept override { below_->interrupt_read(); }
  void shutdown_write() noexcept override { below_->shutdown_write(); }

 protected:
  explicit ForwardingStream(Stream& below) noexcept : below_(&below) {}

  [[nodiscard]] Stream& below() const noexcept { return *below_; }

 private:
  Stream* below_;
};

}  // namespace volt
