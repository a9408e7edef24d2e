// Middleware: one coroutine around the rest of a request's way.
//
//   Task<Response> require_token(Request& request, Next next) {
//     const auto token = request.bearer();
//     if (!token) throw http::unauthorized();
//     request.put(co_await lookup(std::string(*token)));        // From<User> further in
//     Response response = co_await next(request);
//     response.header("x-user", request.get<User>().name);
//     co_return response;
//   }
//
// What is thrown further in has become a response by the time `next` returns: middleware sees every response, and what it
// adds is added to errors too. It may call `next` not at all; more than once only for bodies that it has read whole.
//
// Threads: called from any worker, many at a time: what it captures is shared by them all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/message/typed_store.h"
#include "http/web/handler.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http {

class Middleware;
class ErrorResponses;

// A route's way in, of the server's making.
struct Chain {
  std::vector<Middleware*> around;  // outermost first
  const Handler* handler = nullptr;
  const ErrorResponses* errors = nullptr;
};

// What `next` gives: to be awaited at once.
class [[nodiscard]] NextResponse {
 public:
  NextResponse(const Chain& chain, std::size_t place, Request& request) noexcept;

  auto operator co_await() && noexcept {
    struct Awaiter {
      NextResponse& response;
      std::optional<decltype(std::declval<Task<Response>>().operator co_await())> task;

      [[nodiscard]] bool await_ready() const noexcept { return !task; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
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
    } catch (...) {  // decided: an error further in is a response here
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

  // Never throws but Cancelled.
  NextResponse operator()(Request& request) const noexcept { return NextResponse(*chain_, place_, request); }

 private:
  const Chain* chain_;
  std::size_t place_;
};

// In the field Authorization (RFC 7617, RFC 6750); jwt: a bearer token of that kind.
enum class Credentials : std::uint8_t { none, basic, bearer, jwt };

class Middleware {
 public:
  using Call = std::move_only_function<Task<Response>(Request&, Next)>;

  template <class F>
    requires(std::is_invocable_r_v<Task<Response>, F&, Request&, Next> &&
             !std::is_same_v<std::remove_cvref_t<F>, Middleware>)
  Middleware(F function) : call_(std::move(function)) {}  // NOLINT: implicit, so that it reads app.use(function)

  [[nodiscard]] Task<Response> operator()(Request& request, Next next) { return call_(request, next); }

  // It always puts a T into requests that it lets through, so From<T> may rely on it.
  template <class T>
  Middleware& provides() {
    provides_.push_back(message::type_id<T>());
    return *this;
  }
  // What it puts is not known before it runs: a function of the app's own, given to use() as it is.
  Middleware& provides_unknown() noexcept {
    provides_unknown_ = true;
    return *this;
  }
  // It refuses whoever does not show such credentials; for the OpenAPI document.
  Middleware& requires_credentials(Credentials credentials) noexcept {
    credentials_ = credentials;
    return *this;
  }
  [[nodiscard]] Credentials credentials() const noexcept { return credentials_; }
  [[nodiscard]] bool may_provide(message::TypeId type) const noexcept {
    return provides_unknown_ || std::ranges::find(provides_, type) != provides_.end();
  }

 private:
  Call call_;
  std::vector<message::TypeId> provides_;
  bool provides_unknown_ = false;
  Credentials credentials_ = Credentials::none;
};

// `app.use(http::provide<User>(require_token))`: see Middleware::provides. A From<T> that nobody around provides is
// refused by name when the app is served. A plain function is believed to put whatever is asked for; a request that it
// has put nothing into is then answered with 500.
template <class T>
Middleware provide(Middleware middleware) {
  middleware.provides<T>();
  return middleware;
}

}  // namespace volt::http
