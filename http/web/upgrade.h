// Upgrade: a connection that goes on with another protocol after the answer 101 (RFC 9110 section 7.8).
//
// Threads: used by one task at a time in each direction. Lifetime: the stream is valid until run() has returned; the
// request is not any more, but what middleware put into it is, and so are the app's state and the route's pattern.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http {

// The bytes of the connection, both ways. Waiting and reading are apart, so that who waits holds no buffer.
class UpgradedStream {
 public:
  // Waits until something may have come, or the end; and then, while memory is short. Errors: timed_out; interrupted
  // when the server begins to drain, and by interrupt_read(); not_enough_memory when that stays short for seconds.
  [[nodiscard]] virtual Task<Result<void>> readable() = 0;
  // What has come; first what came behind the request. 0: the peer's end. Errors: operation_would_block; as of recv(2).
  [[nodiscard]] virtual Result<std::size_t> try_read(std::span<std::byte> into) noexcept = 0;
  // Takes off the front of `left` what is written, so that what is left can be written later if this is cancelled.
  // Errors: timed_out for a peer that is too slow; as of send(2).
  [[nodiscard]] virtual Task<Result<void>> write_all(std::span<const std::byte>& left) = 0;
  // To be called by whoever reads.
  virtual void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept = 0;
  // Ends a wait in readable() that is under way. Any task.
  virtual void interrupt_read() noexcept = 0;
  // Any task.
  [[nodiscard]] virtual bool draining() const noexcept = 0;

 protected:
  ~UpgradedStream() = default;
};

class Upgrade {
 public:
  Upgrade() = default;
  Upgrade(const Upgrade&) = delete;
  Upgrade& operator=(const Upgrade&) = delete;
  virtual ~Upgrade() = default;

  // As the 101 names it: a token that the client has asked for. Valid as long as this.
  [[nodiscard]] virtual std::string_view protocol() const noexcept = 0;
  // Runs once the 101 has been sent; the connection ends with it.
  [[nodiscard]] virtual Task<> run(UpgradedStream& stream) = 0;
};

}  // namespace volt::http
