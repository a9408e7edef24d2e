// BodySource: where a request's body comes from, as far as it has not been read yet.
//
// Threads: used by the request's task. Lifetime: the request's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/headers.h"
#include "runtime/task.h"

namespace volt::http {

class BodySource {
 public:
  // The next piece, empty at the end. Valid until the next call. Throws Problem (400, 408, 413) for a body that is
  // malformed, too slow or too large, Disconnected for a client that has gone.
  [[nodiscard]] virtual Task<std::optional<std::string_view>> next() = 0;
  // All that is still to come, in one piece; valid as long as the request. Throws like next().
  [[nodiscard]] virtual Task<std::string_view> rest() = 0;
  [[nodiscard]] virtual bool at_end() const noexcept = 0;
  // For what has not been read yet, instead of the server's limit.
  virtual void limit(std::uint64_t bytes_max) noexcept = 0;
  // Once at the end.
  [[nodiscard]] virtual Fields trailers() const noexcept = 0;

 protected:
  ~BodySource() = default;
};

}  // namespace volt::http
