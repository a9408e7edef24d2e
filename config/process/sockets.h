// SPDX-License-Identifier: MIT

// Sockets: the listening sockets of the process, and their handover from one process to the next.
//
// A place is an address in the form of the configuration, such as "127.0.0.1:8080". It is served by the sockets that
// the replaced process passed for it, or by new sockets if there are none. The passed sockets are the same kernel
// objects, so no connection is lost during the handover. Rejected: two processes that bind with SO_REUSEPORT, since the
// connections in the backlog of a socket are lost when its process closes it.
//
// Threads: one at a time. Lifetime: the destructor removes the files of unix sockets, unless hand_over() was called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/file_descriptor.h"
#include "runtime/inherited.h"
#include "runtime/result.h"
#include "runtime/socket_file.h"
#include "runtime/tcp.h"

namespace volt::config {

class Sockets {
 public:
  // `inherited`: the listeners that the process was started with. `by_replaced_process`: a process of this program
  // passed them, so their names are encoded places (listen_fd_name()).
  Sockets(std::vector<InheritedListener> inherited, bool by_replaced_process)
      : inherited_(std::move(inherited)), by_replaced_process_(by_replaced_process) {}

  struct Opened {
    std::vector<TcpListener> listeners;
    bool inherited;
  };
  // Returns the listeners for a place: the inherited ones if there are any, else `count` new ones that share a port, or
  // a single one for a unix socket. A host name stands for all its addresses, each with `count` listeners. If
  // `deferred`, new ones listen only after TcpListener::start(). The place "systemd:" stands for all remaining
  // listeners that systemd passed. Errors: invalid_argument if `place` is not an address, address_not_available if its
  // host name has none, no_such_file_or_directory if systemd passed none; those of TcpListener::bind() and
  // TcpListener::duplicate().
  [[nodiscard]] Result<Opened> open(const std::string& place, std::uint32_t count, bool deferred = false);
  // Closes the inherited listeners that open() has not returned.
  void drop_rest() noexcept { inherited_.clear(); }

  // A duplicate descriptor of one listening socket for a replacement process, and its name in LISTEN_FDNAMES.
  struct Copy {
    std::string name;
    FileDescriptor fd;
  };
  [[nodiscard]] const std::vector<Copy>& copies() const noexcept { return copies_; }
  // Closes the copies. Returns true if the listeners now hold the last descriptors of their sockets; false after
  // hand_over().
  bool close_copies() noexcept {
    copies_.clear();
    return !handed_over_;
  }
  // Leaves the files of unix sockets to a replacement process, and closes the copies.
  void hand_over() noexcept;

 private:
  [[nodiscard]] std::vector<TcpListener> take_inherited(const std::string& place);
  [[nodiscard]] Result<void> copy(const std::string& place, std::vector<TcpListener>& listeners);

  std::vector<InheritedListener> inherited_;
  bool by_replaced_process_;
  bool handed_over_ = false;
  std::vector<Copy> copies_;
  std::vector<SocketFile> files_;
};

// Returns `place` as a name in LISTEN_FDNAMES, where colons separate names: ':' and '%' are percent-encoded.
[[nodiscard]] std::string listen_fd_name(std::string_view place);

}  // namespace volt::config
