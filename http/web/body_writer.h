// SPDX-License-Identifier: MIT

// BodyWriter: takes the body of a streamed response, piece by piece. Each write must be awaited, which provides
// backpressure: if the client reads slowly, the producer waits; if the client stops reading, the write throws.
//
// Threads: used by one task at a time. Lifetime: valid until the producer has returned.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/task.h"

namespace volt::http {

// Thrown by operations on a connection whose client has disconnected or reads too slowly. A handler need not catch it:
// the server closes the connection.
class Disconnected : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the client has disconnected"; }
};

// If a write is cancelled, or fails, before it has taken all of its data, the body cannot be completed: later writes
// throw std::runtime_error, and the response is aborted.
class BodyWriter {
 public:
  // Accepts all of `data`, and sends it when enough bytes are buffered. Throws Disconnected, and std::length_error if
  // the body becomes larger than its announced size.
  [[nodiscard]] virtual Task<> write(std::string_view data) = 0;
  // Sends the buffered data.
  [[nodiscard]] virtual Task<> flush() = 0;
  // Writes `size` bytes of the file, starting at `offset`. Throws Disconnected, and std::system_error with the errors
  // of read(2) or with io_error if the file is too short.
  [[nodiscard]] virtual Task<> write_file(int fd, std::uint64_t offset, std::uint64_t size) = 0;
  // Adds a trailer field, which is sent if the client speaks HTTP/1.1 (RFC 9110 section 6.5). Throws
  // std::invalid_argument for a field that Response::header() rejects, and for a field that controls framing, routing
  // or authentication (section 6.5.1).
  virtual void trailer(std::string_view name, std::string_view value) = 0;
  // Completes when the client disconnects or the server drains. Run a producer that never ends in a race() with this
  // task. While the task waits, it discards the bytes that the client sends, so the connection must be closed after the
  // response.
  [[nodiscard]] virtual Task<> until_closing() = 0;

 protected:
  ~BodyWriter() = default;
};

// A response body that is produced while it is sent.
class StreamBody {
 public:
  StreamBody() = default;
  StreamBody(const StreamBody&) = delete;
  StreamBody& operator=(const StreamBody&) = delete;
  virtual ~StreamBody() = default;

  // Produces the body. Called at most once; not called if the response is sent without a body. The first bytes are sent
  // by flush(), by write_file(), or when 16 KiB have been written. An exception that is thrown before that is handled
  // as if the handler had thrown it, but changes that middleware made to the response are lost. A later exception ends
  // the connection without completing the body.
  [[nodiscard]] virtual Task<> write_to(BodyWriter& out) = 0;
  // Number of bytes that will be written, if known; the response then has a Content-Length.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept { return std::nullopt; }
};

}  // namespace volt::http
