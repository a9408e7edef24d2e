// SPDX-License-Identifier: MIT

// HandedOverState: state in the memory of a process that a hot restart hands over to the replacement process, such as
// sessions. A middleware that has such state declares it with Middleware::hands_over().
//
// Threads: any. Lifetime: that of the middleware.
#pragma once

#include <string>

#include "runtime/file_descriptor.h"

namespace volt::http {

class HandedOverState {
 public:
  virtual ~HandedOverState() = default;

  // Names the state: a token (RFC 9110 section 5.6.2) that is the same in both processes, and unique in the app.
  [[nodiscard]] virtual std::string name() const = 0;
  // Returns the descriptor of a file from which the replacement process reads the state; negative if there is none. The
  // descriptor belongs to this object, and is valid until end_handover().
  [[nodiscard]] virtual int begin_handover() = 0;
  // The replacement process has failed.
  virtual void end_handover() = 0;
  // Takes over the state of the replaced process. Returns false if the file has another format. Called before the first
  // request.
  [[nodiscard]] virtual bool inherit(FileDescriptor file) = 0;
};

}  // namespace volt::http
