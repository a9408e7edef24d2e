// SPDX-License-Identifier: MIT

// SocketFile: owns the file of a listening unix socket (unix(7)), from bind to close.
//
// Threads: used by one thread at a time. Lifetime: a movable value; its destructor removes the file, unless another
// server has bound the path since.
#pragma once

#include <sys/types.h>

#include <string>

#include "runtime/address.h"
#include "runtime/result.h"

namespace volt {

class SocketFile {
 public:
  SocketFile() = default;  // for an address without a file
  // Takes ownership of the file that bind(2) created for `address`.
  explicit SocketFile(const Address& address) noexcept;
  SocketFile(SocketFile&& other) noexcept { swap(other); }
  SocketFile& operator=(SocketFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SocketFile();
  // Gives up ownership without removing the file, because another process listens on it.
  void leave() noexcept { path_.clear(); }

  // Removes the file at `address` if it is a socket on which no process listens, as a killed server leaves it. Any
  // other file stays, so that bind(2) reports the address in use. If two servers start at the same moment, the second
  // one may take the path from the first.
  static void remove_stale(const Address& address) noexcept;

 private:
  void swap(SocketFile& other) noexcept;

  std::string path_;  // empty if there is no file
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace volt
