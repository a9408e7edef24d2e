// SPDX-License-Identifier: MIT

// App: the definition of a service: its routes, middleware and state.
//
//   http::App app;
//   app.get("/", [] { return "Hello, World!\n"; });
//   app.state(Db("items.db"));                       // State<Db> in handlers
//   app.use(http::request_id(), http::access_log());
//   app.on_error([](const DbDown&) { return http::unavailable().retry_after(1s); });
//
// The constructor of Server checks the app. It throws std::invalid_argument for mistakes such as two routes for the
// same requests, or a handler that takes a State<T> which has not been set.
//
// Threads: built by one thread before it is served; then shared, unchanged, by all workers.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/web/group.h"
#include "http/web/handler.h"
#include "runtime/task.h"

namespace volt {

class Address;
class MetricSink;

namespace http {

struct JobOptions;
struct OpenApiOptions;

namespace server {
class Job;
}

// How often and for how long a check of App::ready_when() may run.
struct ReadyOptions {
  std::chrono::milliseconds timeout = std::chrono::seconds(2);  // beyond it, the check is cancelled and has failed
  std::chrono::milliseconds cache = std::chrono::seconds(1);    // a result is used again for this time
};

class App : public Group {
 public:
  App();
  App(App&&) noexcept = default;
  App& operator=(App&&) noexcept = default;

  // Sets the handler of requests whose path matches no route of any method. Without it they get 404. The server itself
  // responds to TRACE and `OPTIONS *`.
  template <class F>
  App& fallback(F handler) {
    static_assert(sizeof(web::HandlerMistakeIfAny<F>) > 0);
    if constexpr (web::kIsHandler<F>) definition_->fallback.emplace(std::move(handler));
    return *this;
  }

  // Sets the value that handlers take as State<T>; one value for each type. The app owns it.
  template <class T>
  App& state(T value) {
    static_assert(std::is_move_constructible_v<T>,
                  "this type cannot be moved into the app: construct it there, with app.state<T>(args...)");
    if constexpr (std::is_move_constructible_v<T>) definition_->state.make<T>(std::move(value));
    return report_state<T>();
  }
  // Constructs the value for State<T> in the app. For a type that cannot be moved, such as one with a mutex:
  // `app.state<Rooms>()`, `app.state<Rooms>(rooms_max)`. Without arguments it keeps a value that is already there.
  template <class T, class... Args>
    requires(!(std::is_same_v<T, std::remove_cvref_t<Args>> || ...) || sizeof...(Args) > 1)
  App& state(Args&&... args) {
    static_assert(std::is_constructible_v<T, Args...>,
                  "app.state<T>(args...) constructs a T from the arguments, and T has no such constructor");
    if constexpr (!std::is_constructible_v<T, Args...>) {
    } else if constexpr (sizeof...(Args) == 0) {
      definition_->state.get_or_make<T>();
    } else {
      definition_->state.make<T>(std::forward<Args>(args)...);
    }
    return report_state<T>();
  }

  // Maps exceptions of one type to responses. `function` takes the exception by const reference, and optionally the
  // request as its second parameter. Its result is the response to a request whose handler threw the exception. The
  // functions are tried in the order in which they were added. If the response is a 5xx, the exception is logged.
  template <class F>
  App& on_error(F function) {
    definition_->errors.add(std::move(function));
    return *this;
  }

  // Adds a coroutine that runs concurrently with the requests. It begins after the steps of before_listen(), or in the
  // constructor of Server if there are none, and the destructor cancels it. An exception ends the coroutine and is
  // logged. `function` lives as long as its coroutine, so a lambda may have captures. Reports of tasks name the
  // coroutine by the place of this call.
  //   app.background([pool] { return check_health(pool); });
  App& background(std::move_only_function<Task<>()> function,
                  std::source_location where = std::source_location::current());
  // Add a job: a coroutine that is called again and again beside the requests, every `period`, or at the times of a
  // cron expression in UTC (runtime/cron.h). It never overlaps itself. An exception is logged, and the job goes on. A
  // malformed expression is a mistake, which the constructor of Server reports. Options: http/server/jobs.h.
  using Job = std::move_only_function<Task<>()>;
  App& every(std::chrono::nanoseconds period, Job job, std::source_location where = std::source_location::current());
  App& every(std::chrono::nanoseconds period, Job job, JobOptions options,
             std::source_location where = std::source_location::current());
  App& cron(std::string_view times, Job job, std::source_location where = std::source_location::current());
  App& cron(std::string_view times, Job job, JobOptions options,
            std::source_location where = std::source_location::current());
  // Adds a function that Server::listen() calls, on its own thread, with each address at which the server listens. If
  // the port was 0, the address has the port that was chosen.
  App& on_listen(std::move_only_function<void(const Address&)> function);

  // Adds a step that must end before the server listens, such as the migration of a database. The steps run one after
  // the other, in the order in which they were added. If one throws, the server does not listen: volt::run logs a line
  // with the place of this call and the exception's text, and exits with status 1.
  App& before_listen(std::move_only_function<Task<>()> step,
                     std::source_location where = std::source_location::current());
  [[nodiscard]] bool has_steps_before_listen() const noexcept;
  // Adds a step that runs when a graceful shutdown has ended the last connection, or its time has passed, and before
  // the runtime stops: the place to write what is still in memory. The steps run one after the other, in reverse order.
  // A step is cancelled after `limit`. A step that fails is logged, the next one runs, and the exit status is 1.
  App& after_drain(std::move_only_function<Task<>()> step, std::chrono::milliseconds limit = std::chrono::seconds(5),
                   std::source_location where = std::source_location::current());
  // Adds a condition for /readyz of the ops server. `check` returns whether the server may get requests; an exception
  // means that it may not. The checks run concurrently, as tasks of the server's runtime, when /readyz is requested.
  //   app.ready_when("db", [pool]() -> Task<bool> {
  //     co_await pool.query("select 1");
  //     co_return true;
  //   });
  App& ready_when(std::string name, std::move_only_function<Task<bool>()> check, ReadyOptions options = {});

  // Returns the registry of the app's own metrics; include http/metrics/metrics.h.
  [[nodiscard]] MetricRegistry& metrics() noexcept { return *definition_->metrics; }

  // Sets the treatment of a path that would match a route if a slash were added at its end or removed. The default is
  // TrailingSlash::redirect.
  App& trailing_slash(TrailingSlash policy) noexcept;

  // Adds an address at which volt::run serves the app unless the command line names others. Examples: "127.0.0.1:8080",
  // "[::]:8080", "unix:/run/a.sock". "systemd:" means all sockets that systemd has passed (sd_listen_fds(3)).
  App& listen(std::string address, ListenerOptions options = {}) {
    definition_->listeners.push_back({std::move(address), std::move(options)});
    return *this;
  }
  // Adds an address with the options of a transport: `app.listen("[::]:8443", tls::Options{...})` (config/tls/tls.h).
  template <class TransportOptions>
    requires requires(const TransportOptions& options) {
      { listener_options(options) } -> std::same_as<ListenerOptions>;
    }
  App& listen(std::string address, const TransportOptions& options) {
    return listen(std::move(address), listener_options(options));
  }
  [[nodiscard]] const std::vector<AppDefinition::Listener>& listeners() const noexcept {
    return definition_->listeners;
  }

  // Sets the address of the ops server (http/ops/ops.h) that volt::run starts, such as "127.0.0.1:9090". The command
  // line takes precedence. Without an address no ops server is started.
  App& ops(std::string address);
  [[nodiscard]] const std::string& ops_address() const noexcept { return definition_->ops; }

  // Adds a route that responds to GET with the table of all routes, as text.
  App& list_routes(PatternFor<Handler> pattern) {
    get(pattern, Handler([list = definition_->route_list] { return *list; })).hidden();
    return *this;
  }
  // Adds a route that responds to GET with the OpenAPI document; include http/openapi/openapi.h.
  App& openapi(PatternFor<Handler> pattern, OpenApiOptions options);
  // Adds a route that responds to GET with a page that shows the document of openapi() and sends requests of it. One
  // file, which loads nothing from other sites; http/openapi/page.h. Without openapi(), the server does not start.
  App& openapi_page(PatternFor<Handler> pattern);
  // Returns the OpenAPI document of the routes that have been added so far.
  [[nodiscard]] std::string openapi(const OpenApiOptions& options) const;

  // For the server only.
  [[nodiscard]] const std::shared_ptr<AppHooks>& hooks() const noexcept { return definition_->hooks; }
  [[nodiscard]] std::unique_ptr<AppDefinition> release() && noexcept { return std::move(definition_); }

 private:
  explicit App(std::unique_ptr<AppDefinition> definition);

  // Reports the metrics of the state of type T, or of what it points to, if there are any (runtime/metric_sink.h).
  template <class T>
  App& report_state() {
    if constexpr (requires(const T& state, MetricSink& sink) { state.report_metrics(sink); }) {
      add_state_metrics([](const auto& all, MetricSink& sink) { all.template find<T>()->report_metrics(sink); });
    } else if constexpr (requires(const T& state, MetricSink& sink) { state->report_metrics(sink); }) {
      add_state_metrics([](const auto& all, MetricSink& sink) { (*all.template find<T>())->report_metrics(sink); });
    }
    return *this;
  }
  std::shared_ptr<server::Job> add_job(Job function, JobOptions options, const std::source_location& where);
  void add_state_metrics(void (*report)(const message::TypedStore& state, MetricSink& sink));

  std::unique_ptr<AppDefinition> definition_;
};

}  // namespace http
}  // namespace volt
