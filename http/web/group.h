// SPDX-License-Identifier: MIT

// Group: routes under one prefix, with middleware of their own. An App is the outermost group.
//
//   auto api = app.group("/api/v1");
//   api.use(http::timeout(2s), require_token);      // the first is outermost; all run inside the outer groups' ones
//   api.get("/items/{id}", show);
//
// A group's middleware applies to all its routes, whether they were added before or after the middleware.
//
// Lifetime: a group refers to a part of its app and must not outlive it; the app may be moved.
// Threads: used by one thread, before the app is served.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/files/file_options.h"
#include "http/message/method.h"
#include "http/message/typed_store.h"
#include "http/route/trailing_slash.h"
#include "http/transport/listener_options.h"
#include "http/web/error_responses.h"
#include "http/web/handler.h"
#include "http/web/middleware.h"
#include "http/web/route_metadata.h"
#include "http/web/route_pattern.h"
#include "http/websocket/protocol/websocket_options.h"
#include "runtime/work_class.h"

namespace volt {
class MetricSink;
}

namespace volt::http {

class MetricRegistry;
class WebSocket;
struct AppHooks;

using route::TrailingSlash;

// The definition of an app, from which the server builds its tables.
struct AppDefinition {
  using Weight = WorkClass::Weight;

  struct Group {
    std::size_t outer = 0;  // Index of the enclosing group; 0 for the app, which has index 0 itself.
    std::string prefix;     // Whole prefix, including the prefixes of the enclosing groups.
    std::string host;
    std::vector<std::unique_ptr<Middleware>> middleware;
    std::string tag = {};
  };
  struct Route {
    std::optional<Method> method;
    std::size_t group = 0;
    std::string pattern;
    std::string origin;
    Handler handler;
    RouteMetadata metadata = {};
    Weight weight = Weight::learned;
  };

  std::vector<Group> groups = std::vector<Group>(1);
  std::vector<Route> routes;
  std::optional<Handler> fallback;
  ErrorResponses errors;
  message::TypedStore state;
  struct Listener {
    std::string address;
    ListenerOptions options;
  };
  std::vector<Listener> listeners;
  std::string ops;
  std::shared_ptr<AppHooks> hooks;
  std::shared_ptr<MetricRegistry> metrics;
  std::vector<void (*)(const message::TypedStore& state, MetricSink& sink)> state_metrics;  // of state that has some
  std::vector<std::string> mistakes;  // Mistakes in the definition, each with its place and remedy.
  std::shared_ptr<std::string> route_list = std::make_shared<std::string>();  // Filled by the server.
  // The server calls these functions once the definition is complete, before it listens.
  std::vector<std::move_only_function<void(const AppDefinition&)>> when_complete;
  TrailingSlash trailing_slash = TrailingSlash::redirect;
};

// A route that was just added. Its functions set metadata for the OpenAPI document (http/openapi/openapi.h), and tell
// the scheduler how long the handler computes. Lifetime: like a Group, a Route must not outlive its app.
class Route {
 public:
  Route(AppDefinition& definition, std::size_t index) noexcept : definition_(&definition), index_(index) {}

  Route& summary(std::string text);
  Route& description(std::string text);  // In CommonMark.
  Route& operation_id(std::string id);
  Route& tag(std::string name);  // Added to the route's tags, which replace the group's tag.
  Route& deprecated();
  Route& hidden();  // Leaves the route out of the OpenAPI document.
  // Describes a response that the handler's signature does not show, or replaces the description of a response that it
  // shows.
  Route& responses(Status status, std::string description);

  // heavy() and light() tell the scheduler whether the handler computes, or blocks its thread, for a long time between
  // two awaits. Requests of light routes run before those of heavy routes. By default the server learns this by itself,
  // from handlers that take a millisecond or more between two awaits. heavy() is useful if even the first request must
  // not delay others. light() is useful if the requests must not wait although their handler is slow.
  Route& heavy() noexcept;
  Route& light() noexcept;

 private:
  [[nodiscard]] RouteMetadata& metadata() noexcept { return definition_->routes[index_].metadata; }

  AppDefinition* definition_;
  std::size_t index_;
};

class Group {
 public:
  // Adds a route for GET, which also serves HEAD. post(), put(), patch() and del() add a route for their method. The
  // compiler checks the pattern against the handler.
  template <class F>
  Route get(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::get, pattern, std::move(handler));
  }
  template <class F>
  Route post(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::post, pattern, std::move(handler));
  }
  template <class F>
  Route put(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::put, pattern, std::move(handler));
  }
  template <class F>
  Route patch(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::patch, pattern, std::move(handler));
  }
  template <class F>
  Route del(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::del, pattern, std::move(handler));
  }
  // Adds a route for `method`. With std::nullopt the route serves every method that has no route of its own at this
  // pattern, except TRACE and CONNECT.
  template <class F>
  Route route(std::optional<Method> method, PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return add_route(method, pattern.text(), pattern.where(), Handler(std::move(handler)));
  }

  // Serves the files of a directory below the prefix, for GET and HEAD:
  //
  //   app.files("/assets", "public", {.max_age = 1h});
  //
  // Sets media types, evaluates conditions and ranges, and serves index.html for a directory; see FileOptions. Never
  // serves a file outside the directory or a name that begins with a dot.
  // Opens the directory now. A directory that cannot be opened, a prefix that ends with '/' (except "/" itself) and
  // contradictory options are mistakes, which the constructor of the server reports, like a duplicate route.
  Group& files(std::string_view prefix, const std::string& directory, FileOptions options = {},
               std::source_location where = std::source_location::current());

  // Adds a WebSocket route; requires http/websocket/websocket.h. A GET request without a WebSocket upgrade receives
  // 426.
  template <class F>
  Route ws(PatternFor<std::type_identity_t<F>> pattern, WebSocketOptions options, F handler) {
    if constexpr (!web::kIsHandler<F>) {
      std::unreachable();
    } else {
      using Taker = typename web::SignatureFor<F>::template Apply<web::TakerOf>::type;
      static_assert(std::is_same_v<Taker, WebSocket>, "a handler of ws() has a parameter WebSocket&");
      static_assert(web::CallFor<F>::kBody == BodyUse::none,
                    "a handler of ws() takes no Request& and no body: both are destroyed before the WebSocket begins; "
                    "take Path, Query or Header, which are copies, or State and From, which stay valid");
      return add_route(Method::get, pattern.text(), pattern.where(),
                       Handler(web::Configured<F, WebSocketOptions>(std::move(options), std::move(handler))));
    }
  }
  template <class F>
  Route ws(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return ws<F>(pattern, WebSocketOptions(), std::move(handler));
  }

  // Sets the tag of this group's routes in the OpenAPI document. A route may replace it. A group without a tag uses the
  // tag of the enclosing group, or else the prefix.
  Group& tag(std::string name);

  // Adds middleware; the first is outermost. See the head of this file.
  template <class... M>
  Group& use(M... middleware) {
    (add_middleware(as_middleware(std::move(middleware))), ...);
    return *this;
  }

  // Adds an inner group. With the prefix "" its routes differ from those of this group only in their middleware. Any
  // other prefix that does not begin with '/', or that ends with '/', is a mistake, which the constructor of the server
  // reports, like a duplicate route.
  [[nodiscard]] Group group(std::string_view prefix, std::source_location where = std::source_location::current());
  // Adds an inner group with the same prefix whose routes serve certain hosts only. `name` is the name of one host, or
  // "*.example.com" for every name below example.com.
  [[nodiscard]] Group host(std::string_view name);

 protected:
  Group(AppDefinition& definition, std::size_t index) noexcept : definition_(&definition), index_(index) {}
  [[nodiscard]] AppDefinition& definition() const noexcept { return *definition_; }

 private:
  static Middleware as_middleware(Middleware middleware) noexcept { return middleware; }
  template <class F>
  static Middleware as_middleware(F function) {
    static_assert(MiddlewareFunction<F>, "middleware is a coroutine Task<Response> (Request& request, Next next)");
    if constexpr (MiddlewareFunction<F>) {
      Middleware middleware(std::move(function));
      middleware.provides_unknown();
      return middleware;
    } else {
      std::unreachable();
    }
  }
  Route add_route(std::optional<Method> method, std::string_view pattern, std::source_location where, Handler handler);
  void add_middleware(Middleware middleware);
  [[nodiscard]] Group inner(std::string prefix, std::string host);

  AppDefinition* definition_;
  std::size_t index_;
};

}  // namespace volt::http
