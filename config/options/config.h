// Config: everything an operator may set, one member for each layer's options. volt::run loads it; a program passes one
// to volt::run to have defaults of its own.
//
// A key is a member's name: idle_timeout of `server` is
//   server.idle_timeout = "30s"           in the file that --config or VOLT_CONFIG names (TOML)
//   VOLT_SERVER_IDLE_TIMEOUT=30s          in the environment, which wins over the file
//   --server.idle-timeout 30s             on the command line, which wins over both
// config/default.toml has them all, with their meanings and defaults; the table is config/read/settings.cpp.
//
// Threads: a value.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "http/ops/ops.h"
#include "http/server/options.h"
#include "runtime/log.h"
#include "runtime/options.h"
#include "tls/options.h"

namespace volt::config {

// How a server ends (config/run.h).
struct DrainOptions {
  std::chrono::milliseconds delay{0};                          // still accept connections; 5 s under Kubernetes
  std::chrono::milliseconds grace = std::chrono::seconds(20);  // then for requests under way, before they are cut
};

// What the process gives up once it listens.
struct ProcessOptions {
  std::string user;   // name or number; empty: stays who it is
  std::string group;  // name or number; empty: the user's own
  std::string umask;  // octal; empty: as it was started
};

// Where operators, probes and Prometheus ask: http/ops/ops.h.
struct OpsConfig : http::OpsOptions {
  std::vector<std::string> listen;  // none: where the app says, else nowhere
};

// Where to listen with TLS, and how.
struct TlsConfig : tls::Options {
  std::vector<std::string> listen;
  bool dev = false;  // with a certificate made at the start, for localhost; at 0.0.0.0:8443 unless `listen` says where
};

struct Config {
  std::vector<std::string> listen;  // none, here and in `tls`: what the app listens on, else 0.0.0.0:8080
  TlsConfig tls;
  RuntimeOptions runtime;
  http::ServerOptions server;
  OpsConfig ops;
  DrainOptions drain;
  ProcessOptions process;
  LogOptions log;
};

}  // namespace volt::config
