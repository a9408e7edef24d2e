// Listening sockets that this process was started with: systemd's socket activation (sd_listen_fds(3)), which other
// supervisors imitate, and the way in which a server hands its sockets to its replacement.
//
// The starter leaves them open as descriptors 3, 4, ... and says so in the environment: LISTEN_PID is the process they
// are meant for, LISTEN_FDS how many there are, LISTEN_FDNAMES what they are called, with colons between.
//
// Threads: called once, when the program starts and has no other threads: it changes the environment.
#pragma once

#include <string>
#include <vector>

#include "runtime/result.h"
#include "runtime/tcp.h"

namespace volt {

struct InheritedListener {
  std::string name;  // as FileDescriptorName= of the socket's unit has it; "unknown" where the starter gives none
  TcpListener listener;
};

// Takes them over, in order; none if there are none, or if they are meant for another process. The variables are
// unset, so that no child mistakes them for its own and a second call finds nothing.
// Errors: invalid_argument if the variables are no numbers or do not agree; as of TcpListener::adopt for a descriptor
// that is no listening stream socket.
[[nodiscard]] Result<std::vector<InheritedListener>> inherited_listeners();

}  // namespace volt
