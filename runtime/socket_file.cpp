// SPDX-License-Identifier: MIT

#include "runtime/socket_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace volt {
namespace {

bool refuses_connections(const Address& address) noexcept {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool refused = ::connect(fd, address.data(), address.size_bytes()) != 0 && errno == ECONNREFUSED;
  ::close(fd);
  return refused;
}

}  // namespace

SocketFile::SocketFile(const Address& address) noexcept : path_(address.path()) {
  struct stat file{};
  if (path_.empty() || ::lstat(path_.c_str(), &file) != 0) return;
  device_ = file.st_dev;
  inode_ = file.st_ino;
}

SocketFile::~SocketFile() {
  struct stat file{};
  if (path_.empty() || ::lstat(path_.c_str(), &file) != 0) return;
  if (file.st_dev == device_ && file.st_ino == inode_) ::unlink(path_.c_str());
}

void SocketFile::remove_stale(const Address& address) noexcept {
  const std::string path(address.path());
  struct stat file{};
  const bool is_socket = !path.empty() && ::lstat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode);
  if (is_socket && refuses_connections(address)) ::unlink(path.c_str());
}

void SocketFile::swap(SocketFile& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
}

}  // namespace volt
