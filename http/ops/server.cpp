#include <chrono>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "http/ops.h"
#include "http/ops/service.h"
#include "http/ops/watched.h"

namespace volt::http {
namespace {

constexpr auto kStallToLog = std::chrono::milliseconds(50);  // what people would notice
constexpr auto kBetweenStallLines = std::chrono::seconds(1);

Task<> log_stall(std::string what, Stall stall) {
  std::fprintf(stderr, "volt: %s has kept worker %u busy for %lld ms\n", what.c_str(), stall.worker,
               static_cast<long long>(stall.lasted.count()));
  co_return;
}

}  // namespace

struct OpsServer::Running {
  ops::Watched watched;
  std::vector<std::string> hosts;
  std::optional<Runtime> runtime;  // of one worker, which serves nothing but this
  std::optional<Server> server;
  std::chrono::steady_clock::time_point next_stall_line{};  // belongs to who observes stalls

  void observe(const Stall& stall);
  [[nodiscard]] std::string described(std::optional<std::uint32_t> route) const;
};

// On the thread that watches the workers, which must not wait for a terminal: it leaves the writing to ours.
void OpsServer::Running::observe(const Stall& stall) {
  if (stall.lasted < kStallToLog) {
    watched.site->count_stall(stall.task);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_stall_line) return;
  next_stall_line = now + kBetweenStallLines;
  try {
    runtime->spawn(log_stall, described(watched.site->route_of(stall.task)), stall).detach();
  } catch (const std::bad_alloc&) {  // decided: a line less
  }
}

std::string OpsServer::Running::described(std::optional<std::uint32_t> route) const {
  if (!route) return "a task that serves no request";
  if (*route >= watched.routes.size()) return "a request that no route serves";
  const auto method = watched.routes[*route].method;
  return std::string(method ? to_string(*method) : "any method") + " " + watched.pattern(*route);
}

OpsServer::OpsServer(Runtime& watched_runtime, Server& watched_server, OpsOptions options)
    : running_(new Running{.watched = {.runtime = watched_runtime, .site = watched_server.site_},
                           .hosts = std::move(options.hosts),
                           .runtime = std::nullopt,
                           .server = std::nullopt}) {
  watched_server.site_->measure();
}

OpsServer::~OpsServer() { stop(); }

Result<Address> OpsServer::start(const Address& address) {
  try {
    running_->runtime.emplace(RuntimeOptions{.workers = 1, .io = running_->watched.runtime.engine()});
  } catch (const std::system_error& error) {
    return std::unexpected(error.code());
  }
  running_->server.emplace(*running_->runtime, ops::make_service(running_->watched, running_->hosts));
  running_->watched.runtime.on_stall([running = running_.get()](const Stall& stall) { running->observe(stall); });
  return running_->server->listen(address);
}

void OpsServer::set_ready(bool ready) noexcept { running_->watched.readiness.set(ready); }

void OpsServer::stop() noexcept {
  if (!running_->runtime) return;
  running_->watched.runtime.on_stall(nullptr);
  running_->server.reset();
  running_->runtime.reset();
}

}  // namespace volt::http
