// SPDX-License-Identifier: MIT

// For LD_PRELOAD: a disk whose reads take 50 ms, below files of 1 MiB and more. Each part of 256 KiB is read from it
// once, and is then in the page cache. A thread that waits for it writes its name to the file COLD_DISK_LOG. With
// COLD_DISK_OVERLAYFS the file system does not tell what is in the page cache.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/base/atomic.h"

namespace {

constexpr int kDescriptors = 1024;
constexpr off_t kParts = 64;
constexpr off_t kPartBytes = 256 * 1024;
constexpr off_t kColdBytesMin = 1 << 20;

using Warm = volt::base::Atomic<bool>;
constinit std::array<std::array<Warm, kParts>, kDescriptors> g_warm{};

// Returns null for what is not on the slow disk.
Warm* part_of(int fd, off_t offset) {
  struct stat found{};
  if (fd < 0 || fd >= kDescriptors || offset < 0 || offset / kPartBytes >= kParts) return nullptr;
  if (::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size < kColdBytesMin) return nullptr;
  return &g_warm[static_cast<std::size_t>(fd)][static_cast<std::size_t>(offset / kPartBytes)];
}

bool is_overlayfs() { return std::getenv("COLD_DISK_OVERLAYFS") != nullptr; }

bool is_cold(const Warm* part) { return part != nullptr && !part->load(volt::base::relaxed); }  // relaxed: a flag

void log_thread() {
  char name[20] = "";
  const char* const path = std::getenv("COLD_DISK_LOG");
  if (path == nullptr || ::pthread_getname_np(::pthread_self(), name, sizeof name - 1) != 0) return;
  std::strcat(name, "\n");
  const int log = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log < 0 || ::write(log, name, std::strlen(name)) < 0) std::abort();
  ::close(log);
}

void wait_for_disk(int fd, off_t offset) {
  Warm* const part = part_of(fd, offset);
  if (!is_cold(part)) return;
  log_thread();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  part->store(true, volt::base::relaxed);  // relaxed: a flag
}

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t preadv64v2(int fd, const iovec* places, int count, off64_t offset, int flags) {
  if ((flags & RWF_NOWAIT) != 0 && is_overlayfs()) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if ((flags & RWF_NOWAIT) != 0 && is_cold(part_of(fd, offset))) {
    errno = EAGAIN;
    return -1;
  }
  static const auto next = real<ssize_t(int, const iovec*, int, off64_t, int)>("preadv64v2");
  return next(fd, places, count, offset, flags);
}
ssize_t preadv2(int fd, const iovec* places, int count, off_t offset, int flags) {
  return preadv64v2(fd, places, count, offset, flags);
}

int fstatfs64(int fd, struct statfs64* found) {
  static const auto next = real<int(int, struct statfs64*)>("fstatfs64");
  const int result = next(fd, found);
  if (is_overlayfs()) found->f_type = OVERLAYFS_SUPER_MAGIC;  // the folder of the test may be in memory
  return result;
}
int fstatfs(int fd, struct statfs* found) { return fstatfs64(fd, reinterpret_cast<struct statfs64*>(found)); }

ssize_t pread64(int fd, void* into, size_t size, off64_t offset) {
  wait_for_disk(fd, offset);
  static const auto next = real<ssize_t(int, void*, size_t, off64_t)>("pread64");
  return next(fd, into, size, offset);
}
ssize_t pread(int fd, void* into, size_t size, off_t offset) { return pread64(fd, into, size, offset); }
// Calls of pread() become these with _FORTIFY_SOURCE. `room` is the size of the buffer.
ssize_t __pread_chk(int fd, void* into, size_t size, off_t offset, size_t room) {
  if (size > room) std::abort();
  return pread64(fd, into, size, offset);
}
ssize_t __pread64_chk(int fd, void* into, size_t size, off64_t offset, size_t room) {
  return __pread_chk(fd, into, size, offset, room);
}

ssize_t sendfile64(int to, int fd, off64_t* offset, size_t size) {
  if (offset != nullptr) wait_for_disk(fd, *offset);
  static const auto next = real<ssize_t(int, int, off64_t*, size_t)>("sendfile64");
  return next(to, fd, offset, size);
}
ssize_t sendfile(int to, int fd, off_t* offset, size_t size) { return sendfile64(to, fd, offset, size); }
}
