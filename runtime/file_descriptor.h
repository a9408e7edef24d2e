// SPDX-License-Identifier: MIT

// FileDescriptor: owns an open file descriptor, and closes it when it is destroyed.
//
//   FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
//   if (!socket) return system_error(errno);
//
// Threads: a value, used by one thread at a time; several may call get() at once.
// Lifetime: the number that get() returns is valid until the owner is destroyed, assigned to or released.
#pragma once

#include <unistd.h>

#include <utility>

namespace volt {

class FileDescriptor {
 public:
  // Owns none.
  FileDescriptor() = default;
  // Takes over `fd`. A negative one, as failed system calls return it, is none.
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  // Exchanges the two: `other` closes what this one owned.
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const noexcept { return fd_; }  // negative: none
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  // Returns the descriptor, which stays open, and owns none from then on.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace volt
