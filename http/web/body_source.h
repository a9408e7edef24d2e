// SPDX-License-Identifier: MIT

// BodySource: the part of a request's body that has not been read yet.
//
// Threads: used by the request's task. Lifetime: that of the request.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/headers.h"
#include "runtime/task.h"

namespace volt::http {

class Response;

class BodySource {
 public:
  // Reads the next piece of the body; nullopt at the end. The piece is valid until the next call. Throws Problem (400,
  // 408, 413) for a body that is malformed, too slow or too large, and Disconnected if the client has disconnected.
  [[nodiscard]] virtual Task<std::optional<std::string_view>> next() = 0;
  // Reads the rest of the body as one piece, which is valid as long as the request. Throws like next().
  [[nodiscard]] virtual Task<std::string_view> rest() = 0;
  [[nodiscard]] virtual bool at_end() const noexcept = 0;
  // Sets the maximum size of the body that has not been read yet, in bytes, in place of the server's limit.
  virtual void limit(std::uint64_t bytes_max) noexcept = 0;
  // Trailer fields; empty until at_end().
  [[nodiscard]] virtual Fields trailers() const noexcept = 0;
  // Sends an interim response without waiting; see Request::send_interim(). Returns false if it was not sent.
  virtual bool send_interim(const Response& /*interim*/) { return false; }

 protected:
  ~BodySource() = default;
};

}  // namespace volt::http
