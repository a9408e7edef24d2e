// Group: routes under one prefix, with middleware of their own. An App is the group of everything.
//
//   auto api = app.group("/api/v1");
//   api.use(http::timeout(2s), require_token);      // first listed is outermost; those of the groups around, before
//   api.get("/items/{id}", show);
//
// A group's middleware is for all its routes, whether they were added before it or after.
//
// Lifetime: a group is a name for a part of its app, and must not be used after it; the app may move.
// Threads: one, before the app is served.
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
#include "runtime/address.h"
#include "runtime/task.h"

namespace volt::http {

class WebSocket;

using route::TrailingSlash;

// What an app says of itself, for the server to build its tables from.
struct AppDefinition {
  struct Group {
    std::size_t outer = 0;  // the first is the app: it is its own
    std::string prefix;     // whole, with those of the groups around
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
  struct Hooks {
    std::vector<std::move_only_function<Task<>()>> background;
    std::vector<std::move_only_function<void(const Address&)>> listening;
  };
  Hooks hooks;
  std::shared_ptr<std::string> route_list = std::make_shared<std::string>();  // filled by the server
  // Called by the server once nothing will be added, before it listens.
  std::vector<std::move_only_function<void(const AppDefinition&)>> when_complete;
  TrailingSlash trailing_slash = TrailingSlash::redirect;
};

// A route that was just added, to be told more of for the OpenAPI document (http/openapi/openapi.h). Lifetime: as a group's.
class Route {
 public:
  Route(AppDefinition& definition, std::size_t index) noexcept : definition_(&definition), index_(index) {}

  Route& summary(std::string text);
  Route& description(std::string text);  // CommonMark
  Route& operation_id(std::string id);
  Route& tag(std::string name);  // beside others, instead of its group's
  Route& deprecated();
  Route& hidden();  // it is not in the document
  // An answer that the signature does not show, or what to call one that it does.
  Route& responses(Status status, std::string description);

 private:
  [[nodiscard]] RouteMetadata& metadata() noexcept { return definition_->routes[index_].metadata; }

  AppDefinition* definition_;
  std::size_t index_;
};

class Group {
 public:
  // GET serves HEAD too. The pattern is checked against the handler when this is compiled.
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
  // For a method without a name here; none: for every method but TRACE and CONNECT that has no route of its own.
  template <class F>
  Route route(std::optional<Method> method, PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return add_route(method, pattern.text(), pattern.where(), Handler(std::move(handler)));
  }

  // The files of a directory, for GET and HEAD below the prefix: `app.files("/assets", "public", {.max_age = 1h})`. With
  // their media types, conditions and ranges, and index.html for a directory; see FileOptions. Nothing outside of the
  // directory is ever served, and no name that begins with a dot.
  // The directory is opened now. Throws std::system_error if it cannot be, std::invalid_argument for a prefix that ends
  // with '/' (but "/" itself) and for options that contradict themselves.
  Group& files(std::string_view prefix, const std::string& directory, FileOptions options = {},
               std::source_location where = std::source_location::current());

  // A WebSocket; include http/websocket/websocket.h. A GET that asks for none is answered with 426.
  template <class F>
  Route ws(PatternFor<std::type_identity_t<F>> pattern, WebSocketOptions options, F handler) {
    using Taker = typename web::SignatureFor<F>::template Apply<web::TakerOf>::type;
    static_assert(std::is_same_v<Taker, WebSocket>, "a handler of ws() has a parameter WebSocket&");
    static_assert(web::CallFor<F>::kBody == BodyUse::none,
                  "a handler of ws() takes no Request& and no body: both are gone when the WebSocket begins; Path, "
                  "Query, Header and their like are its own, State and From last");
    return add_route(Method::get, pattern.text(), pattern.where(),
                     Handler(web::Configured<F, WebSocketOptions>(std::move(options), std::move(handler))));
  }
  template <class F>
  Route ws(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return ws<F>(pattern, WebSocketOptions(), std::move(handler));
  }

  // What its routes are listed under in the OpenAPI document, unless they say otherwise. Those of a group without: under
  // that of the group around, or else under the prefix.
  Group& tag(std::string name);

  // See the head of this file.
  template <class... M>
  Group& use(M... middleware) {
    (add_middleware(as_middleware(std::move(middleware))), ...);
    return *this;
  }

  // Throws std::invalid_argument for a prefix that does not begin with '/', or ends with it.
  [[nodiscard]] Group group(std::string_view prefix);
  // The same routes for one host only: a name, or "*.name" for every name below it.
  [[nodiscard]] Group host(std::string_view name);

 protected:
  Group(AppDefinition& definition, std::size_t index) noexcept : definition_(&definition), index_(index) {}
  [[nodiscard]] AppDefinition& definition() const noexcept { return *definition_; }

 private:
  static Middleware as_middleware(Middleware middleware) noexcept { return middleware; }
  template <class F>
  static Middleware as_middleware(F function) {
    Middleware middleware(std::move(function));
    middleware.provides_unknown();
    return middleware;
  }
  Route add_route(std::optional<Method> method, std::string_view pattern, std::source_location where, Handler handler);
  void add_middleware(Middleware middleware);
  [[nodiscard]] Group inner(std::string prefix, std::string host);

  AppDefinition* definition_;
  std::size_t index_;
};

}  // namespace volt::http
