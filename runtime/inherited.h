// SPDX-License-Identifier: MIT

// Listening sockets that were passed to this process when it was started, as by systemd's socket activation
// (sd_listen_fds(3)) and other supervisors that follow its protocol. A server also passes its sockets to its
// replacement process in this way.
//
// The parent process leaves the sockets open as descriptors 3, 4, ... and describes them in the environment: LISTEN_PID
// is the process id of the intended receiver, LISTEN_FDS the number of sockets, LISTEN_FDNAMES their names, separated
// by colons.
//
// Threads: must be called at program start, before other threads exist, because it changes the environment.
#pragma once

#include <string>
#include <vector>

#include "runtime/result.h"
#include "runtime/tcp.h"

namespace volt {

struct InheritedListener {
  std::string name;  // FileDescriptorName= of the socket unit; "unknown" if no names were passed
  TcpListener listener;
};

// Takes ownership of the inherited listeners, in order. Returns an empty vector if there are none or if they are meant
// for another process. Unsets the variables, so that no child process mistakes them for its own and a second call
// returns an empty vector.
// Errors: invalid_argument if the variables are not numbers or do not agree; those of TcpListener::adopt for a
// descriptor that is not a listening stream socket.
[[nodiscard]] Result<std::vector<InheritedListener>> inherited_listeners();

}  // namespace volt
