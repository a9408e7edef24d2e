// SPDX-License-Identifier: MIT

#include "http/files/internal/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace volt::http::files {
namespace {

constexpr int kReading = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int kOpenAttemptsMax = 4;  // attempts to open a path when a signal or a rename interferes

int open_within(int directory, const std::string& relative, Symlinks symlinks, Waiting waiting) noexcept {
  open_how how{};
  how.flags = kReading;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (symlinks == Symlinks::refused) how.resolve |= RESOLVE_NO_SYMLINKS;
  if (waiting == Waiting::refused) how.resolve |= RESOLVE_CACHED;
  return static_cast<int>(::syscall(SYS_openat2, directory, relative.c_str(), &how, sizeof how));
}

}  // namespace

Result<FileDescriptor> open_beneath(int directory, const std::string& relative, Symlinks symlinks, Waiting waiting) {
  if (waiting == Waiting::refused) {
    const int fd = open_within(directory, relative, symlinks, waiting);
    if (fd >= 0) return FileDescriptor(fd);
    const bool unable = errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == EINTR;
    return system_error(unable ? EAGAIN : errno);  // EINVAL: Linux before 5.12 lacks RESOLVE_CACHED
  }
  for (int attempt = 1;; ++attempt) {
    const int fd = open_within(directory, relative, symlinks, waiting);
    if (fd >= 0) return FileDescriptor(fd);
    // ENOSYS: the kernel lacks openat2. EPERM: an older sandbox refuses system calls that it does not know. In both
    // cases walk_beneath() is safe, because it follows no links.
    if (errno == ENOSYS || errno == EPERM) return walk_beneath(directory, relative);
    if ((errno != EAGAIN && errno != EINTR) || attempt == kOpenAttemptsMax) return system_error(errno);
  }
}

Result<FileDescriptor> walk_beneath(int directory, const std::string& relative) {
  FileDescriptor parent;
  for (std::size_t begin = 0;;) {
    const std::size_t slash = relative.find('/', begin);
    const bool last = slash == std::string::npos;
    const std::string name = relative.substr(begin, slash - begin);
    if (name.empty() || name == "..") return error(std::errc::cross_device_link);
    const int flags = last ? kReading : O_PATH | O_DIRECTORY | O_CLOEXEC;
    const int fd = ::openat(parent.get() < 0 ? directory : parent.get(), name.c_str(), flags | O_NOFOLLOW);
    if (fd < 0) return system_error(errno);
    if (last) return FileDescriptor(fd);
    parent = FileDescriptor(fd);
    begin = slash + 1;
  }
}

}  // namespace volt::http::files
