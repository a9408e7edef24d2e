// Handler: what a route runs. Plain functions and coroutines, with or without the request:
//
//   [] { return "Hello, World!\n"; }
//   [](const Request& request) { return Response::text(std::string(request.path())); }
//   [](Request& request) -> Task<Response> { ... co_await ...; co_return answer; }
//
// A plain function costs no coroutine frame. What is returned becomes a Response: text becomes text/plain, and void,
// 204 No Content.
//
// Threads: called from any worker, many at a time: what a handler captures is shared by them all.
// Lifetime: the request is valid until the handler (or its task) has returned.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/request.h"
#include "http/response.h"
#include "runtime/task.h"

namespace volt::http {

template <class T>
concept IntoResponse = std::same_as<T, Response> || std::convertible_to<T, std::string_view>;

template <IntoResponse T>
Response to_response(T&& value) {
  if constexpr (std::same_as<std::remove_cvref_t<T>, Response>) {
    return std::forward<T>(value);
  } else if constexpr (std::same_as<std::remove_cvref_t<T>, std::string>) {
    return Response::text(std::forward<T>(value));
  } else {
    return Response::text(std::string(std::string_view(value)));
  }
}

class Handler {
 public:
  using Plain = std::function<Response(Request&)>;
  using Coroutine = std::function<Task<Response>(Request&)>;

  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Handler>)
  Handler(F function) : call_(erase(std::move(function))) {}  // NOLINT: implicit, so that routes read app.get(path, f)

  // One of the two is null.
  [[nodiscard]] const Plain* plain() const noexcept { return std::get_if<Plain>(&call_); }
  [[nodiscard]] const Coroutine* coroutine() const noexcept { return std::get_if<Coroutine>(&call_); }

 private:
  using Call = std::variant<Plain, Coroutine>;

  template <class T>
  struct TaskOf : std::false_type {};
  template <class T>
  struct TaskOf<Task<T>> : std::true_type {
    using Value = T;
  };

  // `call(function, request)` with or without the request, as the function takes it.
  template <class F>
  static decltype(auto) call(F& function, Request& request) {
    if constexpr (std::is_invocable_v<F&, Request&>) {
      return function(request);
    } else {
      static_assert(std::is_invocable_v<F&>, "a handler takes nothing, or the Request");
      return function();
    }
  }

  // The callable stays in the route for ever, so its coroutine may use what it captured.
  template <class T, class F>
  static Task<Response> await(F& function, Request& request) {
    auto task = call(function, request);
    if constexpr (std::is_void_v<T>) {
      co_await std::move(task);
      co_return Response(Status::no_content);
    } else {
      T value = co_await std::move(task);
      co_return to_response(std::move(value));
    }
  }

  template <class F>
  static Call erase(F function) {
    using R = std::remove_cvref_t<decltype(call(function, std::declval<Request&>()))>;
    if constexpr (std::same_as<R, Task<Response>>) {
      return Coroutine([function = std::move(function)](Request& request) mutable { return call(function, request); });
    } else if constexpr (TaskOf<R>::value) {
      return Coroutine([function = std::move(function)](Request& request) mutable {
        return await<typename TaskOf<R>::Value>(function, request);
      });
    } else if constexpr (std::is_void_v<R>) {
      return Plain([function = std::move(function)](Request& request) mutable {
        call(function, request);
        return Response(Status::no_content);
      });
    } else {
      static_assert(IntoResponse<R>, "a handler returns a Response, text or nothing, or a Task of one of them");
      return Plain(
          [function = std::move(function)](Request& request) mutable { return to_response(call(function, request)); });
    }
  }

  Call call_;
};

}  // namespace volt::http
