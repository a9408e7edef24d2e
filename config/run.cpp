#include "config/run.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/read/load.h"
#include "http/server.h"
#include "runtime/inherited.h"
#include "runtime/runtime.h"

namespace volt {
namespace {

constexpr auto kBetweenNudges = std::chrono::milliseconds(10);
constexpr int kExitCutShort = 1;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr const char* kDefaultListen = "0.0.0.0:8080";

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
bool drain(http::Server& server, const EndSignals& signals, std::chrono::milliseconds grace) {
  server.start_drain();
  const auto deadline = std::chrono::steady_clock::now() + grace;
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

void listen_inherited(http::Server& server, Log& log) {
  auto inherited = inherited_listeners();
  if (!inherited) throw Refusal{kExitFailed, "systemd: " + inherited.error().message()};
  if (inherited->empty()) throw Refusal{kExitFailed, "systemd: passed no sockets (LISTEN_FDS)"};
  for (InheritedListener& one : *inherited) {
    log.write(LogLevel::info, "listening on " + one.listener.local_address().to_string(), {{"inherited", true}});
    server.listen(std::move(one.listener));
  }
}

void listen_on(http::Server& server, Runtime& runtime, const std::string& where) {
  if (where == "systemd:") return listen_inherited(server, runtime.log());
  const auto address = Address::parse(where);
  if (!address) {
    throw Refusal{kExitUsage, "--listen " + where + ": not an address and port, as 127.0.0.1:8080 or [::]:8080"};
  }
  const auto bound = server.listen(*address);
  if (!bound) throw Refusal{kExitFailed, where + ": " + bound.error().message()};
  runtime.log().write(
      LogLevel::info, "listening on " + bound->to_string(),
      {{"workers", runtime.worker_count()}, {"io", runtime.engine() == IoEngine::uring ? "io_uring" : "epoll"}});
}

int serve(http::App& app, config::Config config, const std::shared_ptr<Log>& log) {
  std::vector<std::string> listeners = config.listen.empty() ? app.listeners() : config.listen;
  if (listeners.empty()) listeners.emplace_back(kDefaultListen);
  ::signal(SIGPIPE, SIG_IGN);  // whoever reads our log may go before us
  const EndSignals signals;
  config.runtime.log = log;
  Runtime runtime(config.runtime);
  http::Server server(runtime, std::move(app), config.server);
  for (const std::string& where : listeners) listen_on(server, runtime, where);
  signals.wait();
  if (drain(server, signals, config.drain.grace)) return 0;
  runtime.log().write(LogLevel::warning, "connections were cut short", {{"connections", server.connection_count()}});
  return kExitCutShort;
}

}  // namespace

int run(http::App& app, int argc, char** argv, config::Config defaults) {
  const auto draft = config::load(config::all_settings(), std::move(defaults), argc, argv, environ);
  if (!draft) {
    std::fputs(draft.error().text.c_str(), draft.error().status == 0 ? stdout : stderr);
    return draft.error().status;
  }
  const auto log = std::make_shared<Log>(draft->config().log);
  for (const std::string& doubt : draft->doubts()) log->write(LogLevel::warning, doubt);
  try {
    return serve(app, draft->config(), log);
  } catch (const Refusal& refusal) {
    log->write(LogLevel::error, refusal.reason);
    return refusal.status;
  } catch (const std::invalid_argument& error) {
    log->write(LogLevel::error, error.what());
    return kExitUsage;
  } catch (const std::system_error& error) {
    log->write(LogLevel::error, error.what());
    return kExitFailed;
  }
}

}  // namespace volt
