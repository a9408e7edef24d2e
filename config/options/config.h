// SPDX-License-Identifier: MIT

// Config: everything an operator can set, with one member for the options of each layer. volt::run loads it. A program
// passes a Config to volt::run to set its own defaults.
//
// A key is the name of a member. For example, idle_timeout of `server` is set by
//   server.idle_timeout = "30s"           in the file that --config or VOLT_CONFIG names (TOML)
//   VOLT_SERVER_IDLE_TIMEOUT=30s          in the environment, which wins over the file
//   --server.idle-timeout 30s             on the command line, which wins over both
// config/default.toml lists all keys with their descriptions and defaults. The table of settings is
// config/read/settings.cpp.
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
#include "runtime/resolve.h"
#include "tls/options.h"

namespace volt::config {

// Times of a graceful shutdown (config/run.h).
struct DrainOptions {
  // How long connections are still accepted. volt::run sets 5 s by default under Kubernetes.
  std::chrono::milliseconds delay{0};
  // Maximum time after `delay` for requests in progress. The remaining connections are closed after it.
  std::chrono::milliseconds grace = std::chrono::seconds(20);
};

// Privileges that the process drops after binding, its umask, and the file with its id.
struct ProcessOptions {
  std::string user;   // name or uid; empty: the current user
  std::string group;  // name or gid; empty: the primary group of `user`
  std::string umask;  // octal digits; empty: the inherited umask
  // File that has the id of the process while it serves, and after a hot restart that of the new process; empty: none.
  std::string pid_file;
};

// For programs that are being developed.
struct DevelopmentOptions {
  // File with the errors of the last build, which browsers are shown (config/development/build_errors.h); empty: none.
  std::string build_errors;
};

// The ops endpoint for operators, probes and Prometheus (http/ops/ops.h).
struct OpsConfig : http::OpsOptions {
  std::vector<std::string> listen;  // addresses; empty: the app's ops address, else none
};

// The TLS listeners: their addresses and options.
struct TlsConfig : tls::Options {
  std::vector<std::string> listen;  // addresses; empty: none, or 0.0.0.0:8443 with `dev`
  bool dev = false;                 // use a self-signed certificate for localhost, generated at start-up
};

// The log: stderr, or LogOptions::file.
struct LogConfig : LogOptions {
  bool journal = true;  // begin each line with its priority if stderr is connected to systemd's journal
};

struct Config {
  std::vector<std::string> listen;  // if this and tls.listen are empty: the app's addresses, else 0.0.0.0:8080
  TlsConfig tls;
  RuntimeOptions runtime;
  ResolverOptions names;  // unused if runtime.resolver is set
  http::ServerOptions server;
  OpsConfig ops;
  DrainOptions drain;
  ProcessOptions process;
  DevelopmentOptions development;
  LogConfig log;
};

}  // namespace volt::config
