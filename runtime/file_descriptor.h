// FileDescriptor: owns a file descriptor and closes it.
//
// Threads: a value, used by one thread at a time; get() may be called from several threads.
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

  [[nodiscard]] int get() const noexcept { return fd_; }  // -1 if there is none
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  // Releases ownership and returns the descriptor without closing it.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace volt
