// App: what a service answers: routes, middleware, state.
//
//   http::App app;
//   app.get("/", [] { return "Hello, World!\n"; });
//   app.state(Db("items.db"));                       // State<Db> in handlers
//   app.use(http::request_id(), http::access_log());
//   app.on_error([](const DbDown&) { return http::unavailable().retry_after(1s); });
//
// Whatever is wrong with it (two routes for the same requests, a state that a handler wants and nobody gave) is told
// when it is given to a Server, before that listens.
//
// Threads: built by one thread before it is served; then shared, unchanged, by all workers.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/web/group.h"
#include "http/web/handler.h"

namespace volt::http {

struct OpenApiOptions;

class App : public Group {
 public:
  App() : App(std::make_unique<AppDefinition>()) {}
  App(App&&) noexcept = default;
  App& operator=(App&&) noexcept = default;

  // For every path that has no route for any method, instead of 404. Not for TRACE, nor for `OPTIONS *`, which the server
  // answers itself.
  template <class F>
  App& fallback(F handler) {
    definition_->fallback.emplace(std::move(handler));
    return *this;
  }

  // One value a type, for State<T> in handlers. It belongs to the app from here on.
  template <class T>
  App& state(T value) {
    definition_->state.put(std::move(value));
    return *this;
  }
  // The same for what cannot be moved, such as what holds a mutex: `app.state<Rooms>()` makes it where it stays.
  template <class T>
  App& state() {
    definition_->state.get_or_make<T>();
    return *this;
  }

  // What a request is answered when an exception of that type ends it: `function` takes it by const reference, and
  // perhaps the request behind it. First added, first asked.
  template <class F>
  App& on_error(F function) {
    definition_->errors.add(std::move(function));
    return *this;
  }

  // A coroutine that runs beside the requests, from when the server is made until it goes: then it is cancelled. What
  // it throws is logged, and ends it. `function` lives as long as its task, so it may capture.
  //   app.background([pool] { return check_health(pool); });
  App& background(std::move_only_function<Task<>()> function) {
    definition_->hooks.background.push_back(std::move(function));
    return *this;
  }
  // Is told of each address that the server listens at, with the port that was chosen for port 0; by the thread that
  // makes it listen.
  App& on_listen(std::move_only_function<void(const Address&)> function) {
    definition_->hooks.listening.push_back(std::move(function));
    return *this;
  }

  // What a path means that lacks a slash at its end, or has one too many. TrailingSlash::redirect if nobody says.
  App& trailing_slash(TrailingSlash policy) noexcept {
    definition_->trailing_slash = policy;
    return *this;
  }

  // Where volt::run serves it unless the command line says otherwise: "127.0.0.1:8080", "[::]:8080", "unix:/run/a.sock",
  // or "systemd:", all sockets that systemd has passed (sd_listen_fds(3)). As often as wanted.
  App& listen(std::string address, ListenerOptions options = {}) {
    definition_->listeners.push_back({std::move(address), std::move(options)});
    return *this;
  }
  // The same with a transport's options: `app.listen("[::]:8443", tls::Options{...})` (config/tls/tls.h).
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

  // Where volt::run lets operators look at it (http/ops/ops.h) unless the command line says otherwise: "127.0.0.1:9090".
  // Nowhere, if nobody says.
  App& ops(std::string address) {
    definition_->ops = std::move(address);
    return *this;
  }
  [[nodiscard]] const std::string& ops_address() const noexcept { return definition_->ops; }

  // Answers GET at that pattern with the table of all routes, as text.
  App& list_routes(PatternFor<Handler> pattern) {
    get(pattern, Handler([list = definition_->route_list] { return *list; })).hidden();
    return *this;
  }
  // With the OpenAPI document; include http/openapi/openapi.h.
  App& openapi(PatternFor<Handler> pattern, OpenApiOptions options);
  // The same document, of the routes that there are now.
  [[nodiscard]] std::string openapi(const OpenApiOptions& options) const;

  // The server's part: what concerns itself, and then everything, given up.
  [[nodiscard]] AppDefinition::Hooks release_hooks() noexcept { return std::exchange(definition_->hooks, {}); }
  [[nodiscard]] std::unique_ptr<AppDefinition> release() && noexcept { return std::move(definition_); }

 private:
  explicit App(std::unique_ptr<AppDefinition> definition) : Group(*definition, 0), definition_(std::move(definition)) {}

  std::unique_ptr<AppDefinition> definition_;
};

}  // namespace volt::http
