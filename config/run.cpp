#include "config/run.h"

#include <signal.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "http/ops.h"
#include "http/server.h"
#include "runtime/inherited.h"
#include "runtime/runtime.h"

namespace volt {
namespace {

constexpr auto kDrainGrace = std::chrono::seconds(20);  // under Kubernetes' 30 s between SIGTERM and SIGKILL
constexpr auto kBetweenNudges = std::chrono::milliseconds(10);
constexpr int kExitCutShort = 1;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr const char* kDefaultListen = "0.0.0.0:8080";
constexpr std::uint32_t kWorkersMax = 256;  // well under what the runtime takes

struct Settings {
  std::vector<std::string> listen;
  std::string ops;
  RuntimeOptions runtime;
};

// Empty if the program is to go on; else its exit status.
std::optional<int> read_flags(int argc, char** argv, Settings& settings) {
  CLI::App flags("A web server made with Volt");
  flags
      .add_option("--listen", settings.listen,
                  "127.0.0.1:8080, [::]:8080, unix:/run/app.sock, or systemd: for inherited sockets; may be repeated")
      ->default_str(kDefaultListen);
  flags.add_option("--ops", settings.ops, "where probes, Prometheus and operators may ask, as 127.0.0.1:9090");
  flags.add_option("--workers", settings.runtime.workers, "worker threads; 0: one a processor")
      ->check(CLI::Range(0U, kWorkersMax))
      ->capture_default_str();
  const std::map<std::string, IoEngine> engines{
      {"auto", IoEngine::automatic}, {"uring", IoEngine::uring}, {"epoll", IoEngine::epoll}};
  flags.add_option("--io", settings.runtime.io, "auto, uring or epoll")
      ->transform(CLI::CheckedTransformer(engines).description(""))
      ->default_str("auto");
  flags.add_flag("!--no-rescue", settings.runtime.enable_rescue, "leave the connections of a stuck worker to it");
  flags.add_flag("!--no-stealing", settings.runtime.enable_stealing, "thread per core");
  try {
    flags.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return flags.exit(error);
  }
  return std::nullopt;
}

// The signals that end the program, blocked in this thread and those it starts, to be waited for.
class EndSignals {
 public:
  EndSignals() noexcept {
    ::sigemptyset(&set_);
    for (const int number : {SIGTERM, SIGINT, SIGQUIT}) ::sigaddset(&set_, number);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }

  void wait() const noexcept {
    int number = 0;
    ::sigwait(&set_, &number);
  }

  // True if one came within that time.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds limit) const noexcept {
    const timespec timeout{.tv_sec = limit.count() / 1'000'000'000, .tv_nsec = limit.count() % 1'000'000'000};
    return ::sigtimedwait(&set_, nullptr, &timeout) > 0;
  }

 private:
  sigset_t set_;
};

// True if every connection ended by itself.
bool drain(http::Server& server, const EndSignals& signals) {
  server.start_drain();
  const auto deadline = std::chrono::steady_clock::now() + kDrainGrace;
  while (!server.drained()) {
    if (signals.wait_for(kBetweenNudges) || std::chrono::steady_clock::now() >= deadline) return false;
    server.nudge();
  }
  return true;
}

// What was asked for cannot be had: the program ends with this status.
struct Refusal {
  int status;
  std::string reason;
};

using Listener = http::AppDefinition::Listener;

void listen_inherited(http::Server& server, const http::ListenerOptions& options) {
  auto inherited = inherited_listeners();
  if (!inherited) throw Refusal{kExitFailed, "systemd: " + inherited.error().message()};
  if (inherited->empty()) throw Refusal{kExitFailed, "systemd: passed no sockets (LISTEN_FDS)"};
  for (InheritedListener& one : *inherited) {
    std::fprintf(stderr, "volt: listening on %s, inherited\n", one.listener.local_address().to_string().c_str());
    server.listen(std::move(one.listener), options);
  }
}

void listen_on(http::Server& server, const Runtime& runtime, const Listener& listener) {
  const std::string& where = listener.address;
  if (where == "systemd:") return listen_inherited(server, listener.options);
  const auto address = Address::parse(where);
  if (!address) {
    throw Refusal{kExitUsage, "--listen " + where + ": not an address and port, as 127.0.0.1:8080 or [::]:8080"};
  }
  const auto bound = server.listen(*address, listener.options);
  if (!bound) throw Refusal{kExitFailed, where + ": " + bound.error().message()};
  std::fprintf(stderr, "volt: listening on %s with %u workers on %s\n", bound->to_string().c_str(),
               runtime.worker_count(), runtime.engine() == IoEngine::uring ? "io_uring" : "epoll");
}

void listen_for_operators(http::OpsServer& ops, const std::string& where) {
  const auto address = Address::parse(where);
  if (!address) throw Refusal{kExitUsage, "--ops " + where + ": not an address and port, as 127.0.0.1:9090"};
  const auto bound = ops.start(*address);
  if (!bound) throw Refusal{kExitFailed, where + ": " + bound.error().message()};
  std::fprintf(stderr, "volt: operators may ask at %s\n", bound->to_string().c_str());
}

int serve(http::App& app, const Settings& settings, const http::ServerOptions& options) {
  std::vector<Listener> listeners;
  for (const std::string& address : settings.listen) listeners.push_back({address, {}});
  if (listeners.empty()) listeners = app.listeners();
  if (listeners.empty()) listeners.push_back({kDefaultListen, {}});
  const std::string ops_at = settings.ops.empty() ? app.ops_address() : settings.ops;
  ::signal(SIGPIPE, SIG_IGN);  // whoever reads our log may go before us
  const EndSignals signals;
  Runtime runtime(settings.runtime);
  http::Server server(runtime, std::move(app), options);
  std::optional<http::OpsServer> ops;
  if (!ops_at.empty()) listen_for_operators(ops.emplace(runtime, server), ops_at);
  for (const Listener& listener : listeners) listen_on(server, runtime, listener);
  if (ops) ops->set_ready(true);
  signals.wait();
  if (ops) ops->set_ready(false);
  if (drain(server, signals)) return 0;
  std::fprintf(stderr, "volt: %zu connections were cut short\n", server.connection_count());
  return kExitCutShort;
}

}  // namespace

int run(http::App& app, int argc, char** argv, http::ServerOptions options) {
  Settings settings;
  if (const std::optional<int> status = read_flags(argc, argv, settings)) return *status;
  try {
    return serve(app, settings, options);
  } catch (const Refusal& refusal) {
    std::fprintf(stderr, "volt: %s\n", refusal.reason.c_str());
    return refusal.status;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "volt: %s\n", error.what());
    return kExitUsage;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "volt: %s\n", error.what());
    return kExitFailed;
  }
}

}  // namespace volt
