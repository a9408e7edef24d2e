// FileDescriptor: owns one, and closes it.
//
// Threads: a value, used by one thread at a time; get() may be called from several.
#pragma once

#include <unistd.h>

#include <utility>

namespace volt {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const noexcept { return fd_; }  // -1: none
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  // Gives it up, unclosed.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace volt
