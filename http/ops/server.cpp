#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "http/ops.h"
#include "http/ops/service.h"
#include "http/ops/watched.h"
#include "runtime/log.h"

namespace volt::http {
namespace {

constexpr auto kStallToLog = std::chrono::milliseconds(50);  // what people would notice
constexpr auto kBetweenStallLines = std::chrono::seconds(1);

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

// On the thread that watches the workers.
void OpsServer::Running::observe(const Stall& stall) {
  if (stall.lasted < kStallToLog) {
    watched.site->count_stall(stall.task);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_stall_line) return;
  next_stall_line = now + kBetweenStallLines;
  watched.runtime.log().write(
      LogLevel::warning, "a worker is busy with one task",
      {{"task", described(watched.site->route_of(stall.task))}, {"worker", stall.worker}, {"for", stall.lasted}});
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
    start_serving();
  } catch (const std::system_error& error) {
    return std::unexpected(error.code());
  }
  return running_->server->listen(address);
}

void OpsServer::start(TcpListener listener) {
  start_serving();
  running_->server->listen(std::move(listener));
}

void OpsServer::start_serving() {
  Runtime& watched = running_->watched.runtime;
  running_->runtime.emplace(RuntimeOptions{.workers = 1, .io = watched.engine(), .log = watched.shared_log()});
  running_->server.emplace(*running_->runtime, ops::make_service(running_->watched, running_->hosts));
  watched.on_stall([running = running_.get()](const Stall& stall) { running->observe(stall); });
}

void OpsServer::set_ready(bool ready) noexcept { running_->watched.readiness.set(ready); }

void OpsServer::stop() noexcept {
  if (!running_->runtime) return;
  running_->watched.runtime.on_stall(nullptr);
  running_->server.reset();
  running_->runtime.reset();
}

}  // namespace volt::http
