// Sockets: what the process listens on, and how it comes from one process to the next.
//
// A place ("127.0.0.1:8080", as the configuration has it) is listened on with the sockets that a predecessor passed for
// it, else with new ones. A predecessor's sockets are the very same ones: nobody who connects while one process hands
// over to the other is lost, as happens where both bind with SO_REUSEPORT and one closes its own.
//
// Threads: one. Lifetime: removes the files of unix sockets, unless it was told that a replacement has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/process/internal/descriptor.h"
#include "runtime/inherited.h"
#include "runtime/result.h"
#include "runtime/socket_file.h"
#include "runtime/tcp.h"

namespace volt::config {

class Sockets {
 public:
  // `inherited`: what the process was started with. `by_replaced_process`: a server like this one has passed them, and their
  // names are places.
  Sockets(std::vector<InheritedListener> inherited, bool by_replaced_process)
      : inherited_(std::move(inherited)), by_replaced_process_(by_replaced_process) {}

  struct Opened {
    std::vector<TcpListener> listeners;
    bool inherited;
  };
  // The listeners for a place: `count` that share a port, or one if it is a unix socket's. "systemd:" are all that were
  // inherited and have no place of their own. Errors: invalid_argument for what is no address, no_such_file_or_directory
  // if systemd passed none; as of TcpListener::bind() and duplicate().
  [[nodiscard]] Result<Opened> open(const std::string& place, std::uint32_t count);
  // What was inherited and nobody has opened.
  void drop_rest() noexcept { inherited_.clear(); }

  // For a replacement: a descriptor of each socket, and what it is called.
  struct Copy {
    std::string name;
    Descriptor fd;
  };
  [[nodiscard]] const std::vector<Copy>& copies() const noexcept { return copies_; }
  // From now on the listeners are all there is of their sockets.
  void close_copies() noexcept { copies_.clear(); }
  // A replacement listens on them.
  void hand_over() noexcept;

 private:
  [[nodiscard]] std::vector<TcpListener> take_inherited(const std::string& place);
  [[nodiscard]] Result<void> copy(const std::string& place, std::vector<TcpListener>& listeners);

  std::vector<InheritedListener> inherited_;
  bool by_replaced_process_;
  std::vector<Copy> copies_;
  std::vector<SocketFile> files_;
};

// As a name among others with colons between (LISTEN_FDNAMES).
[[nodiscard]] std::string listen_fd_name(std::string_view place);

}  // namespace volt::config
