// SPDX-License-Identifier: MIT

// Middleware: a coroutine that wraps the rest of the processing of a request.
//
//   Task<Response> require_token(Request& request, Next next) {
//     const auto token = request.bearer();
//     if (!token) throw http::unauthorized();
//     request.put(co_await lookup(std::string(*token)));        // for From<User>
//     Response response = co_await next(request);
//     response.header("x-user", request.get<User>().name);
//     co_return response;
//   }
//
// If the inner middleware or the handler throws an exception, `next` returns the response to that exception. So
// middleware sees every response, and the fields that it adds are added to error responses too. Middleware need not
// call `next`. It may call `next` more than once, but only if the body of the request has been read whole.
//
// Threads: called from any worker, many calls at a time, which all share the captures of the middleware.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/message/status.h"
#include "http/message/typed_store.h"
#include "http/web/handler.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http {

class Middleware;
class ErrorResponses;
class HandedOverState;

// The middleware and the handler of a route, composed by the server.
struct Chain {
  std::vector<Middleware*> around;  // Outermost first.
  const Handler* handler = nullptr;
  const ErrorResponses* errors = nullptr;
};

// The result of calling `next`; must be awaited at once.
class [[nodiscard]] NextResponse {
 public:
  NextResponse(const Chain& chain, std::size_t place, Request& request) noexcept;

  auto operator co_await() && noexcept {
    struct Awaiter {
      NextResponse& response;
      std::optional<decltype(std::declval<Task<Response>>().operator co_await())> task;

      [[nodiscard]] bool await_ready() const noexcept { return !task; }
      std::coroutine_handle<> await_suspend(coro::AwaitPoint awaiting) const noexcept {
        return task->await_suspend(awaiting);
      }
      Response await_resume() { return task ? response.take(*task) : std::move(*response.ready_); }
    };
    Awaiter awaiter{*this, std::nullopt};
    if (task_) awaiter.task.emplace(std::move(*task_).operator co_await());
    return awaiter;
  }

 private:
  template <class Awaiter>
  Response take(Awaiter& task) {
    try {
      return task.await_resume();
    } catch (const Cancelled&) {
      throw;
    } catch (...) {  // Decided: an exception of the rest of the chain becomes a response here.
      return respond_to_exception();
    }
  }
  Response respond_to_exception() noexcept;

  const Chain& chain_;
  Request& request_;
  std::optional<Task<Response>> task_;
  std::optional<Response> ready_;
};

class Next {
 public:
  Next(const Chain& chain, std::size_t place) noexcept : chain_(&chain), place_(place) {}

  // Runs the rest of the chain. Throws only Cancelled.
  NextResponse operator()(Request& request) const noexcept { return NextResponse(*chain_, place_, request); }

 private:
  const Chain* chain_;
  std::size_t place_;
};

// The kind of credentials in the Authorization field (RFC 7617, RFC 6750): `jwt` is a bearer token that is a JWT. Or a
// key that is the value of a cookie or of a header field.
enum class Credentials : std::uint8_t { none, basic, bearer, jwt, cookie, header };

template <class F>
concept MiddlewareFunction = std::is_invocable_r_v<Task<Response>, F&, Request&, Next>;

class Middleware {
 public:
  using Call = std::move_only_function<Task<Response>(Request&, Next)>;

  template <class F>
    requires(MiddlewareFunction<F> && !std::is_same_v<std::remove_cvref_t<F>, Middleware>)
  Middleware(F function) : call_(std::move(function)) {}  // NOLINT: implicit, so that it reads app.use(function)

  [[nodiscard]] Task<Response> operator()(Request& request, Next next) { return call_(request, next); }

  // Declares that the middleware stores a T in every request that it passes to `next`, so that handlers may have a
  // From<T> parameter.
  template <class T>
  Middleware& provides() {
    provides_.push_back(message::type_id<T>());
    return *this;
  }
  // Declares that it is not known in advance which types the middleware stores. This is so for a plain function that is
  // passed to use().
  Middleware& provides_unknown() noexcept;
  // Declares, for the OpenAPI document, that the middleware rejects requests without credentials of this scheme with
  // 401. `name` is the name of the cookie or the header field; it is empty for the other schemes.
  // Throws std::invalid_argument for a name that is not a token, or that is missing.
  Middleware& requires_credentials(Credentials credentials, std::string name = {});
  [[nodiscard]] const auto& credentials() const noexcept { return credentials_; }
  // Declares, for the OpenAPI document, that the middleware refuses with 403 requests whose bearer token lacks this
  // scope or role.
  Middleware& requires_permission(std::string scope_or_role);
  [[nodiscard]] const std::vector<std::string>& permissions() const noexcept { return permissions_; }
  // Declares, for the OpenAPI document, that the middleware refuses some requests with this status.
  Middleware& refuses(Status status);
  [[nodiscard]] const std::vector<Status>& refusals() const noexcept { return refusals_; }
  // Declares that the middleware has state in memory, which a hot restart passes to the new process.
  Middleware& hands_over(std::shared_ptr<HandedOverState> state) noexcept;
  [[nodiscard]] const std::shared_ptr<HandedOverState>& handed_over_state() const noexcept { return state_; }
  [[nodiscard]] bool may_provide(message::TypeId type) const noexcept;

 private:
  Call call_;
  std::vector<message::TypeId> provides_;
  bool provides_unknown_ = false;
  std::pair<Credentials, std::string> credentials_ = {Credentials::none, {}};
  std::vector<std::string> permissions_;
  std::vector<Status> refusals_;
  std::shared_ptr<HandedOverState> state_;  // null: none
};

// Declares that `middleware` provides a T: `app.use(http::provide<User>(require_token))`; see Middleware::provides. If
// a handler has a From<T> parameter but no middleware of its route provides a T, the server does not start, and the
// error names the type. A plain function is assumed to provide every type; if it has not stored a T, the response is
// 500.
template <class T>
Middleware provide(Middleware middleware) {
  middleware.provides<T>();
  return middleware;
}

}  // namespace volt::http
