// BodyWriter: where a streamed answer writes its body, piece by piece. Awaiting a write is the backpressure: a client
// that reads slowly makes its producer wait, one that stops reading ends it.
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

// Thrown by what talks to a client that has gone, or reads too slowly. Nobody has to catch it: the connection ends.
class Disconnected : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the client has gone"; }
};

class BodyWriter {
 public:
  // Takes all of it, and sends when enough has gathered. Throws Disconnected; std::length_error for more than the body
  // was said to have.
  [[nodiscard]] virtual Task<> write(std::string_view data) = 0;
  // Sends what has gathered.
  [[nodiscard]] virtual Task<> flush() = 0;
  // Writes `size` bytes of the file from `offset` on. Throws Disconnected; std::system_error as of read(2), io_error
  // where the file ends before.
  [[nodiscard]] virtual Task<> write_file(int fd, std::uint64_t offset, std::uint64_t size) = 0;
  // A field behind the body, sent if the client speaks HTTP/1.1 (RFC 9110 section 6.5). Throws std::invalid_argument
  // like Response::header(), and for what frames, routes or authenticates (section 6.5.1).
  virtual void trailer(std::string_view name, std::string_view value) = 0;
  // Returns when the client has gone or the server drains: what never ends by itself races it. What the client sends
  // meanwhile is dropped, and the connection then ends behind this answer.
  [[nodiscard]] virtual Task<> until_closing() = 0;

 protected:
  ~BodyWriter() = default;
};

// A body that is produced while it is sent.
class StreamBody {
 public:
  StreamBody() = default;
  StreamBody(const StreamBody&) = delete;
  StreamBody& operator=(const StreamBody&) = delete;
  virtual ~StreamBody() = default;

  // Called once, unless the client wants no body. An exception that comes before anything was sent (a flush(), 16 KiB,
  // a file) is answered as if the handler had thrown it, but what middleware added to the answer is lost; a later one
  // ends the connection without completing the body.
  [[nodiscard]] virtual Task<> write_to(BodyWriter& out) = 0;
  // How many bytes it will write, if that is known: then the answer has a Content-Length.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept { return std::nullopt; }
};

}  // namespace volt::http
