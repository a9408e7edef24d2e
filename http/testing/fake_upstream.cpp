// SPDX-License-Identifier: MIT

#include "http/testing/fake_upstream.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "http/server/task_server.h"
#include "http/testing/internal/fake_script.h"
#include "http/testing/internal/socket.h"
#include "http/web/body_writer.h"
#include "http/web/middleware.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/time.h"

namespace volt::http {
namespace testing {
namespace {

using Kind = FakeFailure::Kind;

// A body that announces `announced` bytes, if that is known, and ends the connection after `begin`.
class CutBody final : public StreamBody {
 public:
  CutBody(std::string begin, std::optional<std::uint64_t> announced)
      : begin_(std::move(begin)), announced_(announced) {}

  [[nodiscard]] Task<> write_to(BodyWriter& out) override {
    co_await out.write(begin_);
    co_await out.flush();
    throw Disconnected();  // the server closes the connection, and logs nothing
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return announced_; }

 private:
  const std::string begin_;
  const std::optional<std::uint64_t> announced_;
};

void cut_body(Response& response, std::size_t body_bytes) {
  const std::optional<std::uint64_t> announced = response.body_size();
  std::string begin(response.body());
  begin.resize(std::min(body_bytes, begin.empty() ? 0 : begin.size() - 1));
  response.replace_body(std::make_unique<CutBody>(std::move(begin), announced));
}

FakeRequest recorded(const Request& request, std::string_view body) {
  FakeRequest record{.method = request.method(),
                     .target = std::string(request.target()),
                     .host = std::string(request.host()),
                     .headers = {},
                     .body = std::string(body)};
  for (const Field& field : request.headers()) {
    record.headers.push_back({std::string(field.name), std::string(field.value)});
  }
  return record;
}

// The outermost middleware of the fake's app.
Task<Response> follow_script(Request& request, Next next, FakeScript& script) {
  const std::string_view body = co_await request.read_body();
  const std::optional<FakeFailure> failure = script.begin_request(recorded(request, body));
  if (failure && failure->kind == Kind::respond) co_return Response::plain(failure->status).close();
  if (failure && failure->kind == Kind::delay) co_await sleep_for(failure->duration);
  Response response = co_await next(request);
  if (failure && failure->kind == Kind::cut) cut_body(response, failure->body_bytes);
  co_return std::move(response.close());
}

}  // namespace

class FakeConnector final : public ClientConnector {
 public:
  explicit FakeConnector(std::shared_ptr<FakeScript> script) : script_(std::move(script)) {
    app_.emplace();
    app_->use(
        Middleware([script = script_](Request& request, Next next) { return follow_script(request, next, *script); }));
  }

  App& app() {
    const std::scoped_lock lock(mutex_);
    if (!app_) throw std::logic_error("FakeUpstream::app() was called after the first request: add the routes before");
    return *app_;
  }

  Task<Result<TcpStream>> connect(const std::string& /*host*/, std::uint16_t /*port*/) override {
    const std::optional<FakeFailure> failure = script_->begin_connection();
    if (failure && failure->kind == Kind::refuse) co_return error(std::errc::connection_refused);
    auto ends = connected_sockets();
    if (!ends) co_return std::unexpected(ends.error());
    if (!failure) server().serve(TcpStream(ends->second.release()));
    co_return TcpStream(ends->first.release());  // if the connection is to be dropped, the second end is closed
  }

 private:
  TaskServer& server() {
    const std::scoped_lock lock(mutex_);
    if (server_) return *server_;
    if (!app_)
      throw std::logic_error("the app of a FakeUpstream is invalid: the failure of its first request says why");
    App app = *std::move(app_);
    app_.reset();
    return server_.emplace(std::move(app));
  }

  const std::shared_ptr<FakeScript> script_;
  std::mutex mutex_;
  std::optional<App> app_;  // none: the server has it, or has refused it
  std::optional<TaskServer> server_;
};

}  // namespace testing

using testing::FakeFailure;
using Kind = FakeFailure::Kind;

FakeUpstream::FakeUpstream()
    : script_(std::make_shared<testing::FakeScript>()), connector_(std::make_shared<testing::FakeConnector>(script_)) {}
FakeUpstream::~FakeUpstream() = default;

App& FakeUpstream::app() { return connector_->app(); }

std::shared_ptr<ClientConnector> FakeUpstream::connector() const { return connector_; }

FakeUpstream& FakeUpstream::refuse(int times) {
  script_->add({.kind = Kind::refuse}, times);
  return *this;
}

FakeUpstream& FakeUpstream::drop(int times) {
  script_->add({.kind = Kind::drop}, times);
  return *this;
}

FakeUpstream& FakeUpstream::respond(Status status, int times) {
  script_->add({.kind = Kind::respond, .status = status}, times);
  return *this;
}

FakeUpstream& FakeUpstream::delay(std::chrono::nanoseconds duration, int times) {
  script_->add({.kind = Kind::delay, .duration = duration}, times);
  return *this;
}

FakeUpstream& FakeUpstream::cut(std::size_t body_bytes, int times) {
  script_->add({.kind = Kind::cut, .body_bytes = body_bytes}, times);
  return *this;
}

std::vector<FakeRequest> FakeUpstream::requests() const { return script_->requests(); }

std::size_t FakeUpstream::connections() const noexcept { return script_->connections(); }

std::size_t FakeUpstream::failures_left() const noexcept { return script_->failures_left(); }

}  // namespace volt::http
