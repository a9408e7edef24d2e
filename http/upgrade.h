// Upgrade: a connection that goes on with another protocol after the answer 101 (RFC 9110 section 7.8).
//
// Threads: used by one task at a time in each direction. Lifetime: the stream is valid until speak() has returned.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http {

// The bytes of the connection, both ways.
class UpgradedStream {
 public:
  // What has come; first what came behind the request. 0: the peer's end. Errors: timed_out; interrupted when the
  // server begins to drain (once); as of recv(2).
  [[nodiscard]] virtual Task<Result<std::size_t>> read(std::span<std::byte> into) = 0;
  // Errors: timed_out for a peer that is too slow; as of send(2).
  [[nodiscard]] virtual Task<Result<void>> write_all(std::span<const std::byte> from) = 0;
  virtual void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept = 0;
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

  // Runs once the 101 has been composed; the connection ends with it.
  [[nodiscard]] virtual Task<> speak(UpgradedStream& stream) = 0;
};

}  // namespace volt::http
