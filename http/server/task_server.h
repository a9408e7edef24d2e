// SPDX-License-Identifier: MIT

// TaskServer: serves an App on connections that tasks hand over, in the runtime of those tasks. It does not listen or
// drain, and runs neither background tasks and jobs nor the steps of the app.
//
// Threads: any worker. Lifetime: the connections are tasks of the runtime, and share the state that they use.
#pragma once

#include <memory>

#include "http/server/app.h"
#include "http/server/options.h"
#include "runtime/tcp.h"

namespace volt::http {

namespace server {
class ListenerState;
class ServerState;
}  // namespace server

class TaskServer {
 public:
  // Throws std::invalid_argument for an invalid app.
  explicit TaskServer(App app, ServerOptions options = {});
  ~TaskServer();
  TaskServer(const TaskServer&) = delete;
  TaskServer& operator=(const TaskServer&) = delete;

  // Serves one connection. Must be called in a task.
  void serve(TcpStream stream);

 private:
  std::shared_ptr<server::ListenerState> listener_state_;
  std::shared_ptr<server::ServerState> server_state_;
};

}  // namespace volt::http
