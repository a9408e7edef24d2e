// SPDX-License-Identifier: MIT

#include "http/transport/page_cache.h"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "runtime/base/uninitialized.h"
#include "runtime/blocking.h"

namespace volt::http {
namespace {

// Reads a byte without waiting. Returns 0 or an error number.
int try_read_byte(int fd, std::uint64_t offset) noexcept {
  char byte = 0;
  const iovec place{.iov_base = &byte, .iov_len = 1};
  return ::preadv2(fd, &place, 1, static_cast<off_t>(offset), RWF_NOWAIT) < 0 ? errno : 0;
}

bool is_in_memory(int fd) noexcept {
  struct statfs found{};
  return ::fstatfs(fd, &found) == 0 && (found.f_type == TMPFS_MAGIC || found.f_type == RAMFS_MAGIC);
}

}  // namespace

DiskWait disk_wait(int fd, std::uint64_t offset) noexcept {
  const int error = try_read_byte(fd, offset);
  if (error == EAGAIN) return DiskWait::yes;
  return error == EOPNOTSUPP && !is_in_memory(fd) ? DiskWait::unknown : DiskWait::no;
}

Task<> fetch_from_disk(int fd, std::uint64_t offset, std::uint64_t size) {
  constexpr std::size_t kPieceBytes = 64 * 1024;
  try {
    co_await blocking([fd, offset, size] {
      VOLT_UNINITIALIZED std::array<char, kPieceBytes> buffer;
      for (std::uint64_t done = 0; done < size;) {
        const auto wanted = std::min<std::uint64_t>(buffer.size(), size - done);
        const ssize_t count = ::pread(fd, buffer.data(), wanted, static_cast<off_t>(offset + done));
        if (count <= 0) return;
        done += static_cast<std::uint64_t>(count);
      }
    });
  } catch (const std::system_error&) {  // decided: the blocking pool is full, and the worker waits for the disk
  }
}

}  // namespace volt::http
