// SPDX-License-Identifier: MIT

#include "config/run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/development/build_errors.h"
#include "config/options/config_log.h"
#include "config/process/health_check.h"
#include "config/process/heap.h"
#include "config/process/hot_restart.h"
#include "config/process/journal.h"
#include "config/process/lifecycle.h"
#include "config/process/listen_error.h"
#include "config/process/pid_file.h"
#include "config/process/privileges.h"
#include "config/process/signals.h"
#include "config/process/sockets.h"
#include "config/process/standard_descriptors.h"
#include "config/program.h"
#include "config/read/load.h"
#include "config/tls/tls.h"
#include "http/ops/ops.h"
#include "http/server/app_hooks.h"
#include "http/server/server.h"
#include "http/transport/handed_over_state.h"
#include "http/transport/transport.h"
#include "runtime/base/check.h"
#include "runtime/crash_report.h"
#include "runtime/inherited.h"
#include "runtime/resolve.h"
#include "runtime/runtime.h"
#include "tls/context.h"
#include "tls/development_certificate.h"
#include "tls/kernel_tls.h"

namespace volt {
namespace {

constexpr int kExitFailed = 1;
// Tasks that were cancelled have at least this time to end, also if the drain has taken all of drain.grace.
constexpr auto kUnwindTimeMin = std::chrono::seconds(1);
constexpr auto kFlushTimeout = std::chrono::seconds(1);
constexpr const char* kDefaultAddress = "0.0.0.0:8080";
constexpr const char* kDefaultTlsAddress = "0.0.0.0:8443";

// An operation that the configuration requires has failed; the program exits.
struct StartupError {
  StartupError(const std::string& what, std::error_code why) : text(what + ": " + why.message()) {}
  explicit StartupError(std::string explained) : text(std::move(explained)) {}
  std::string text;
};

using Place = http::AppDefinition::Listener;

struct Opened {
  std::string place;
  config::Sockets::Opened sockets;
  http::ListenerOptions options;
};

// Returns which TLS setting is missing; empty if the certificate and its key are set.
std::string missing_tls_setting(const config::TlsConfig& tls) {
  if (tls.certificate.empty()) return "tls.listen is set, but tls.certificate is missing";
  if (tls.key.empty()) return "tls.certificate is set, but tls.key is missing";
  return {};
}

// Adds the TLS addresses with one shared context, so that a session that began at one of them resumes at another.
void add_tls_addresses(config::TlsConfig tls, std::vector<Place>& places) {
  if (tls.dev) {
    const tls::CertificateAndKey made = tls::development_certificate();
    tls.certificate = made.certificate;
    tls.key = made.key;
    if (tls.listen.empty()) tls.listen.emplace_back(kDefaultTlsAddress);
  }
  if (tls.listen.empty()) return;
  if (const std::string missing = missing_tls_setting(tls); !missing.empty()) throw std::invalid_argument(missing);
  const http::ListenerOptions options = tls::listener_options(tls);
  for (const std::string& address : tls.listen) places.push_back({address, options});
}

std::vector<Place> listen_addresses(const http::App& app, const config::Config& config) {
  std::vector<Place> places;
  for (const std::string& address : config.listen) places.push_back({address, {}});
  add_tls_addresses(config.tls, places);
  if (places.empty()) places = app.listeners();
  if (places.empty()) places.push_back({kDefaultAddress, {}});
  return places;
}

config::Sockets take_inherited(const config::ReplacedProcess& replaced_process) {
  auto inherited = inherited_listeners();
  if (!inherited) throw StartupError("cannot use the inherited sockets (LISTEN_FDS)", inherited.error());
  return {std::move(*inherited), replaced_process.exists()};
}

std::vector<std::string> ops_addresses(const http::App& app, const config::Config& config) {
  if (!config.ops.listen.empty() || app.ops_address().empty()) return config.ops.listen;
  return {app.ops_address()};
}

std::vector<TcpListener> open_ops_listeners(config::Sockets& sockets, const std::vector<std::string>& places) {
  std::vector<TcpListener> listeners;
  for (const std::string& place : places) {
    auto opened = sockets.open(place, 1);
    if (!opened) throw StartupError(config::explain_listen_error(place, opened.error()));
    for (TcpListener& listener : opened->listeners) listeners.push_back(std::move(listener));
  }
  return listeners;
}

std::vector<Opened> open_all(config::Sockets& sockets, std::vector<Place> places, std::uint32_t workers,
                             bool deferred) {
  std::vector<Opened> all;
  for (Place& place : places) {
    auto opened = sockets.open(place.address, workers, deferred);
    if (!opened) throw StartupError(config::explain_listen_error(place.address, opened.error()));
    all.push_back({std::move(place.address), std::move(*opened), std::move(place.options)});
  }
  sockets.drop_rest();
  return all;
}

void listen_on(http::Server& server, Runtime& runtime, Opened opened) {
  std::vector<std::string> addresses;
  for (TcpListener& listener : opened.sockets.listeners) {
    const Result<void> started = listener.start();
    if (!started) throw StartupError(config::explain_listen_error(opened.place, started.error()));
    addresses.push_back(listener.local_address().to_string());
  }
  addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());  // listeners may share one address
  server.listen(std::move(opened.sockets.listeners), opened.options);
  for (const std::string& address : addresses) {
    config::kConfigLog.to(runtime.log(), LogLevel::info, "listening on " + address,
                          {{"workers", runtime.worker_count()},
                           {"io", runtime.engine() == IoEngine::uring ? "io_uring" : "epoll"},
                           {"tls", opened.options.transport != nullptr},
                           {"inherited", opened.sockets.inherited}});
  }
}

void start_ops_listener(http::OpsServer& ops, Log& log, TcpListener listener) {
  const std::string address = listener.local_address().to_string();
  if (const auto started = ops.start(std::move(listener)); !started)
    throw StartupError("cannot start the ops endpoint at " + address, started.error());
  config::kConfigLog.to(log, LogLevel::info, "ops endpoint available at " + address,
                        {{"url", "http://" + address + "/"}});
}

std::vector<config::ListenerTransport> transports_of(const std::vector<Opened>& all) {
  std::vector<config::ListenerTransport> transports;
  for (const Opened& opened : all) {
    const auto& source = opened.options.transport;
    if (source && std::ranges::find(transports, source, &config::ListenerTransport::source) == transports.end()) {
      transports.push_back({opened.place, source});
    }
  }
  return transports;
}

void inherit(const std::vector<config::ListenerTransport>& transports, config::ReplacedProcess& replaced_process) {
  std::vector<config::HandoffSecret> handoff_secrets = replaced_process.take_handoff_secrets();
  for (const auto& [place, source] : transports) {
    const auto left = std::ranges::find(handoff_secrets, place, &config::HandoffSecret::place);
    if (left != handoff_secrets.end()) source->inherit(left->secret);
  }
  config::wipe(handoff_secrets);
}

void inherit(const std::vector<std::shared_ptr<http::HandedOverState>>& states,
             config::ReplacedProcess& replaced_process, Log& log) {
  for (const auto& state : states) {
    FileDescriptor file = replaced_process.take_state(state->name());
    if (file && !state->inherit(std::move(file)))
      config::kConfigLog.to(log, LogLevel::warning, "could not take over state of the app from the replaced process",
                            {{"state", state->name()}});
  }
}

// Loads the certificates and keys that the TLS listeners would use, and returns the problems and warnings found.
config::Diagnostics check_files(const config::Config& config) {
  config::Diagnostics diagnostics;
  const config::TlsConfig& tls = config.tls;
  if (tls.dev || (tls.listen.empty() && tls.certificate.empty())) return diagnostics;
  if (tls.listen.empty())
    diagnostics.warnings.emplace_back("tls.certificate is set, but tls.listen is empty: the certificate is not used");
  if (std::string missing = missing_tls_setting(tls); !missing.empty()) {
    diagnostics.problems.push_back(std::move(missing));
    return diagnostics;
  }
  const auto context = tls::Context::load(tls);
  if (!context) {
    diagnostics.problems.push_back("tls: " + context.error());
    return diagnostics;
  }
  const auto& warnings = (*context)->warnings();
  diagnostics.warnings.insert(diagnostics.warnings.end(), warnings.begin(), warnings.end());
  return diagnostics;
}

// Shows browsers the errors of the last build, if the configuration has a file with them.
void show_build_errors(http::App& app, const config::DevelopmentOptions& options, Log& log) {
  if (options.build_errors.empty()) return;
  app.hooks()->outermost.push_back(config::show_build_errors(options.build_errors));
  config::kConfigLog.to(log, LogLevel::warning,
                        "browsers are shown the errors of builds that fail: for development only",
                        {{"development.build_errors", options.build_errors}});
}

void write_pid_file(const config::PidFile& pid_file) {
  if (const auto written = pid_file.write(); !written)
    throw StartupError("cannot write process.pid_file", written.error());
}

// Returns whether a signal that ends the server has arrived. Others that have arrived are dropped.
bool told_to_end(Signals& signals) {
  while (const std::optional<int> number = signals.try_next()) {
    if (config::ends_server(*number)) return true;
  }
  return false;
}

// Ends the process if tasks are left at the deadline: the destructor of the runtime would wait for them.
void end_tasks(Runtime& runtime, std::chrono::steady_clock::time_point deadline) {
  const auto left = deadline - std::chrono::steady_clock::now();
  if (runtime.end_tasks(std::max<std::chrono::nanoseconds>(left, kUnwindTimeMin))) return;
  config::kConfigLog.to(runtime.log(), LogLevel::error,
                        "the process ends without waiting for these tasks, because drain.grace has passed");
  runtime.log().flush(kFlushTimeout);
  std::_Exit(kExitFailed);
}

using ReadLogLevels = std::function<std::expected<std::string, std::string>()>;

int serve(http::App& app, char** argv, const std::string& program, config::Config config, ReadLogLevels log_levels,
          config::ReplacedProcess& replaced_process) {
  ::signal(SIGPIPE, SIG_IGN);  // a peer or the reader of the log may close its end first
  if (config.runtime.workers == 0) config.runtime.workers = usable_processors();
  config::set_umask(config.process.umask);
  config::Sockets sockets = take_inherited(replaced_process);
  auto ops_listeners = open_ops_listeners(sockets, ops_addresses(app, config));
  // Ports may need privileges, which the steps of before_listen() must not have. So the addresses are taken now, and
  // the sockets listen after the steps.
  const bool deferred = app.has_steps_before_listen();
  auto opened = open_all(sockets, listen_addresses(app, config), config.runtime.workers, deferred);
  const Result<void> became = config::drop_privileges(config.process.user, config.process.group);
  if (!became && became.error() == std::errc::invalid_argument && config.process.group.empty())
    throw StartupError("process.user " + config.process.user + " has no entry with its group: set process.group, too");
  if (!became) throw StartupError("cannot drop privileges (process.user, process.group)", became.error());

  std::optional<Signals> signals(std::in_place, config::kHandledSignals);  // must precede the first thread
  const CrashReport crash_report(config.runtime.log);
  Runtime runtime(config.runtime);
  show_build_errors(app, config.development, runtime.log());
  std::optional<config::PidFile> pid_file(std::in_place, config.process.pid_file);
  std::optional<http::Server> server(std::in_place, runtime, std::move(app), config.server);
  std::optional<http::OpsServer> ops(std::in_place, runtime, *server, config.ops);
  for (TcpListener& listener : ops_listeners) start_ops_listener(*ops, runtime.log(), std::move(listener));
  auto transports = transports_of(opened);
  if (!transports.empty())
    config::kConfigLog.to(runtime.log(), LogLevel::debug, "kTLS", {{"support", to_text(tls::probe_kernel_tls())}});
  inherit(transports, replaced_process);
  auto states = server->handed_over_states();
  inherit(states, replaced_process, runtime.log());
  for (const auto& [place, source] : transports) {
    for (const std::string& warning : source->warnings())
      config::kConfigLog.to(runtime.log(), LogLevel::warning, warning);
  }
  // It watches the files of the certificates from here on, so that a change during the steps of before_listen() counts.
  config::Lifecycle lifecycle({runtime, *server, *ops, sockets, *signals, *pid_file, std::move(transports),
                               std::move(states), config.drain, std::move(log_levels), program, argv});
  if (!server->prepare([&] { return !told_to_end(*signals); })) {
    runtime.log().write(LogLevel::info, "ended by a signal before the server listened");
    return 0;
  }
  for (auto& each : opened) listen_on(*server, runtime, std::move(each));
  write_pid_file(*pid_file);
  replaced_process.release();
  const int status = lifecycle.run();
  signals.reset();  // restores the default action: from here on a signal terminates the process
  const bool finished = server->finish();
  ops.reset();
  server.reset();
  pid_file.reset();
  end_tasks(runtime, lifecycle.ends_by());
  return finished ? status : kExitFailed;
}

// Returns the exit status of --check-health.
int report_health(const std::vector<std::string>& places) {
  if (places.empty()) {
    std::fputs("--check-health needs an address in ops.listen\n", stderr);
    return kExitFailed;
  }
  const auto healthy = config::check_health(places.front());
  if (healthy) return 0;
  std::fprintf(stderr, "%s\n", healthy.error().c_str());
  return kExitFailed;
}

// Returns the levels of the log in the form of Log::set_levels().
std::string log_levels_of(const config::Config& config) {
  Log log({.level = config.log.level, .levels = config.log.levels});
  return log.levels();
}

// Returns a function that reads the sources of the configuration again. A change of them that is not valid is an error.
// The program's own settings stay as they are. `options` must outlive the function.
ReadLogLevels read_log_levels(config::LoadOptions options, const config::Config& defaults, int argc, char** argv) {
  options.assign_own = false;
  return [options, defaults, argc, argv]() -> std::expected<std::string, std::string> {
    const auto loaded = config::load(options, defaults, argc, argv, environ);
    if (!loaded) return std::unexpected(loaded.error().text);
    return log_levels_of(loaded->config_builder.config());
  };
}

// Returns the log; null, after a line on stderr, if its file cannot be opened.
std::shared_ptr<Log> open_log(config::LogConfig options) {
  const bool to_stderr = options.file.empty() && !options.sink;
  options.priorities = options.journal && to_stderr && config::stderr_is_journal();
  try {
    return std::make_shared<Log>(std::move(options));
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

// Prints each message as a line on stderr, and returns the status of an invalid command line or configuration.
int refuse(const std::vector<std::string>& messages) {
  for (const std::string& message : messages) std::fprintf(stderr, "%s\n", message.c_str());
  return config::kExitUsage;
}

}  // namespace

// `app` returns the program's app. It is called when the configuration is complete and the app is needed.
int Program::run_when_configured(const std::function<http::App&()>& app, int argc, char** argv) {
  config::bound_freed_memory();
  config::open_standard_descriptors();
  const std::string program = config::program_path(argv);
  config::ReplacedProcess replaced_process;
  if (const auto mistakes = config::mistakes_of(tables_); !mistakes.empty()) return refuse(mistakes);
  config::Config& defaults = options_.defaults;
  if (defaults.ops.service.empty()) defaults.ops.service = options_.name;
  if (defaults.ops.version.empty()) defaults.ops.version = options_.version;
  const std::vector<config::Setting> settings = config::settings_with(tables_);
  const config::LoadOptions load{
      .settings = settings, .tables = tables_, .program = {options_.name, options_.version, options_.description}};
  const auto loaded = config::load(load, defaults, argc, argv, environ, check_files);
  if (!loaded) {
    std::fputs(loaded.error().text.c_str(), loaded.error().status == 0 ? stdout : stderr);
    return loaded.error().status;
  }
  for (std::size_t i = 0; i != receivers_.size(); ++i) receivers_[i](loaded->config_builder.values().own[i]);
  config::Config config = loaded->config_builder.config();
  const std::shared_ptr<Log> log = open_log(config.log);
  if (!log) return kExitFailed;
  config.runtime.log = log;
  try {
    if (!config.runtime.resolver) config.runtime.resolver = std::make_shared<Resolver>(config.names);
    if (loaded->check_health) {
      // Makes the app only if its own address is needed: it may open databases, and checks run every few seconds.
      return report_health(config.ops.listen.empty() ? ops_addresses(app(), config) : config.ops.listen);
    }
    for (const std::string& warning : loaded->config_builder.warnings())
      config::kConfigLog.to(*log, LogLevel::warning, warning);
    auto log_levels = read_log_levels(load, defaults, argc, argv);
    return serve(app(), argv, program, std::move(config), std::move(log_levels), replaced_process);
  } catch (const StartupError& refusal) {
    config::kConfigLog.to(*log, LogLevel::error, refusal.text);
    return kExitFailed;
  } catch (const std::invalid_argument& error) {
    config::kConfigLog.to(*log, LogLevel::error, error.what());
    return config::kExitUsage;
  } catch (const std::exception& error) {
    config::kConfigLog.to(*log, LogLevel::error, error.what());
    return kExitFailed;
  }
}

int Program::run(http::App& app, int argc, char** argv) {
  return run_when_configured([&]() -> http::App& { return app; }, argc, argv);
}

int Program::run(std::move_only_function<http::App()> make_app, int argc, char** argv) {
  std::optional<http::App> app;
  const auto made = [&]() -> http::App& {
    if (!app) app.emplace(make_app());
    return *app;
  };
  return run_when_configured(made, argc, argv);
}

int run(http::App& app, int argc, char** argv, config::Config defaults) {
  return Program({.defaults = std::move(defaults)}).run(app, argc, argv);
}

int run(std::move_only_function<http::App()> make_app, int argc, char** argv, config::Config defaults) {
  return Program({.defaults = std::move(defaults)}).run(std::move(make_app), argc, argv);
}

void config::settings_not_read() {
  VOLT_REQUIRE(false, "Settings are read by Program::run(): use them in the function that makes the app, or later");
  std::unreachable();
}

}  // namespace volt
