// SPDX-License-Identifier: MIT

// FileDescriptor: owns an open file descriptor, and closes it when it is destroyed.
//
//   FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
//   if (!socket) return system_error(errno);
//
// Threads: a value, used by one thread at a time; several threads may call get() at once.
// Lifetime: the number that get() returns is valid until the owner is destroyed, assigned to or released.
#pragma once

#include <unistd.h>

#include <utility>

namespace volt {

class FileDescriptor {
 public:
  // Owns no descriptor.
  FileDescriptor() = default;
  // Takes ownership of `fd`. A negative number, which a failed system call returns, means no descriptor.
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  // Exchanges the descriptors: `other` then owns, and later closes, the previous descriptor of this object.
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const noexcept { return fd_; }  // negative if there is none
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  // Gives up ownership: returns the descriptor without closing it.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace volt
