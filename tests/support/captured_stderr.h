// SPDX-License-Identifier: MIT

// CapturedStderr: what the process writes to stderr while the object exists.
//
// Threads: one object at a time.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "runtime/base/check.h"
#include "runtime/file_descriptor.h"

namespace volt::test {

class CapturedStderr {
 public:
  CapturedStderr() : before_(::dup(STDERR_FILENO)), file_(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
    VOLT_CHECK(before_.get() >= 0 && file_.get() >= 0);
    VOLT_CHECK(::dup2(file_.get(), STDERR_FILENO) >= 0);
  }
  CapturedStderr(const CapturedStderr&) = delete;
  CapturedStderr& operator=(const CapturedStderr&) = delete;
  ~CapturedStderr() {
    std::fflush(stderr);
    ::dup2(before_.get(), STDERR_FILENO);
  }

  // Returns the text so far.
  [[nodiscard]] std::string take() {
    std::fflush(stderr);
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t count = 1; count > 0;) {
      count = ::pread(file_.get(), piece.data(), piece.size(), static_cast<off_t>(text.size()));
      if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  const FileDescriptor before_;
  const FileDescriptor file_;
};

}  // namespace volt::test
