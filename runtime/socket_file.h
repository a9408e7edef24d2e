// SocketFile: the file under whose path a unix socket listens (unix(7)), from bind to close.
//
// Threads: one. Lifetime: a value; removes the file when it goes, unless another server has taken the path meanwhile.
#pragma once

#include <sys/types.h>

#include <string>

#include "runtime/address.h"
#include "runtime/result.h"

namespace volt {

class SocketFile {
 public:
  SocketFile() = default;  // of an address that has no file
  // Takes over the file that bind(2) has made for `address`.
  explicit SocketFile(const Address& address) noexcept;
  SocketFile(SocketFile&& other) noexcept { swap(other); }
  SocketFile& operator=(SocketFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SocketFile();
  // From now on it stays: somebody else listens there.
  void leave() noexcept { path_.clear(); }

  // Clears the path of a socket that nobody listens on: what a server that was killed leaves behind. Any other file
  // stays, and bind(2) will find the address in use. (Of two servers that start in the same instant, the second may
  // take the path from the first.)
  static void remove_stale(const Address& address) noexcept;

 private:
  void swap(SocketFile& other) noexcept;

  std::string path_;  // empty: no file
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace volt
