// SPDX-License-Identifier: MIT

#include "http/server/task_server.h"

#include <utility>

#include "http/server/internal/admission.h"
#include "http/server/internal/connection.h"
#include "http/server/internal/listener_state.h"
#include "http/server/server_state.h"
#include "runtime/spawn.h"

namespace volt::http {

// The runtime is not known yet, so the state is that of one worker: the other workers create their part of it when they
// first need it, and keep no pool.
TaskServer::TaskServer(App app, ServerOptions options)
    : listener_state_(std::make_shared<server::ListenerState>(ListenerOptions{})),
      server_state_(std::make_shared<server::ServerState>(std::move(app), options, 1, 1)) {}

TaskServer::~TaskServer() = default;

void TaskServer::serve(TcpStream stream) {
  server::Admission admission(server_state_, listener_state_,
                              server::ConnectionPermits::overdrawn(*server_state_, *listener_state_), 0);
  spawn(server::Connection::serve, std::move(stream), std::move(admission)).detach();
}

}  // namespace volt::http
