// SPDX-License-Identifier: MIT

// Handler: the function that a route runs. It is a plain function or a coroutine. Its parameters select parts of the
// request (http/web/extract.h), and its result becomes the response (http/web/into_response.h):
//
//   [] { return "Hello, World!\n"; }
//   [](Path<int> id, Query<Page> page) { return items(*id, page->limit); }
//   [](Json<NewItem> in, State<Db> db) -> Task<Created<Item>> { co_return co_await db->insert(*in); }
//
// A plain function needs no coroutine frame.
//
// Threads: called from any worker, many calls at a time, which all share the captures of the handler.
// Lifetime: the request is valid until the response has been sent; arguments are valid until the handler has returned.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "http/web/argument.h"
#include "http/web/internal/call.h"
#include "http/web/internal/configured.h"
#include "http/web/internal/signature.h"
#include "http/web/into_response.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http {
namespace web {

template <class F>
using SignatureFor = SignatureOf<
    std::conditional_t<std::is_function_v<std::remove_reference_t<F>>, std::add_pointer_t<F>, std::remove_cvref_t<F>>>;
template <class F>
using CallFor = typename SignatureFor<F>::template Apply<Call>;

// The callable stays in its route as long as the app is served, so coroutines may use its captures.
template <class F>
Task<Response> respond_later(F& function, Request& request) {
  using Call = CallFor<F>;
  using Result = std::remove_cvref_t<typename SignatureFor<F>::Result>;
  using Value = typename TaskOf<Result>::Value;
  if constexpr (Call::kBody == BodyUse::whole) {
    if (!request.has_whole_body()) {
      auto reading = request.read_body();
      co_await std::move(reading);
    }
  }
  auto arguments = Call::begin_arguments(request);
  if constexpr (Call::kWaits) {
    auto gathering = Call::gather(request, arguments);
    co_await std::move(gathering);
  }
  if constexpr (std::is_void_v<Result>) {
    Call::apply(function, arguments);
    co_return Response(Status::no_content);
  } else if constexpr (!TaskOf<Result>::value) {
    co_return into_response(Call::apply(function, arguments), request);
  } else {
    auto task = Call::apply(function, arguments);
    if constexpr (std::is_void_v<Value>) {
      co_await std::move(task);
      co_return Response(Status::no_content);
    } else {
      Value value = co_await std::move(task);
      co_return into_response(std::move(value), request);
    }
  }
}

template <class F>
Response respond_now(F& function, Request& request) {
  using Call = CallFor<F>;
  auto arguments = Call::arguments(request);
  if constexpr (std::is_void_v<typename SignatureFor<F>::Result>) {
    Call::apply(function, arguments);
    return Response(Status::no_content);
  } else {
    return into_response(Call::apply(function, arguments), request);
  }
}

// Finds the parameter type that takes over the response: see kTakesOver in http/web/internal/call.h.
template <class... Params>
struct TakerOf;
template <class First, class... Rest>
struct TakerOf<First, Rest...> {
  using Type = typename std::conditional_t<kTakesOver<First>, std::type_identity<std::remove_cvref_t<First>>,
                                           TakerOf<Rest...>>::type;
  using type = Type;
};
template <>
struct TakerOf<> {
  using type = void;
};

template <class F>
Response respond_taking_over(F& function, Request& request) {
  using Call = CallFor<F>;
  using Taker = typename SignatureFor<F>::template Apply<TakerOf>::type;
  static_assert(std::is_same_v<typename SignatureFor<F>::Result, Task<>>,
                "a handler that takes an event stream or a WebSocket is a coroutine Task<>");
  auto run = [&function, arguments = Call::arguments(request)](Taker& taker) mutable -> Task<> {
    return Call::apply(function, arguments, taker);
  };
  if constexpr (requires { function.options(); }) {
    return Extract<Taker>::respond(request, std::move(run), function.options());
  } else {
    return Extract<Taker>::respond(request, std::move(run));
  }
}

template <class F>
void describe(openapi::Operation& operation) {
  CallFor<F>::describe(operation);
  using Result = std::remove_cvref_t<typename SignatureFor<F>::Result>;
  if constexpr (!CallFor<F>::kTakesOver) describe_result<typename TaskOf<Result>::Value>(operation);
}

}  // namespace web

class Handler {
 public:
  using Plain = std::move_only_function<Response(Request&)>;
  using Coroutine = std::move_only_function<Task<Response>(Request&)>;

  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Handler>)
  Handler(F function)  // NOLINT: implicit, so that routes read app.get(path, f)
      : call_(erase(std::move(function))),
        body_(web::CallFor<F>::kBody),
        requirements_(web::CallFor<F>::requirements()),
        describe_(web::describe<F>) {}

  // Sets how the handler uses the body, in place of the use that its parameters imply.
  template <class F>
  Handler(F function, BodyUse body) : Handler(std::move(function)) {
    body_ = body;
  }

  // Exactly one of plain() and coroutine() is non-null. Both may be called by many threads at a time.
  [[nodiscard]] Plain* plain() const noexcept { return std::get_if<Plain>(&call_); }
  [[nodiscard]] Coroutine* coroutine() const noexcept { return std::get_if<Coroutine>(&call_); }

  [[nodiscard]] BodyUse body() const noexcept { return body_; }
  [[nodiscard]] const std::vector<Requirement>& requirements() const noexcept { return requirements_; }
  // Adds the parameters and results of the handler's signature to `operation`.
  void describe(openapi::Operation& operation) const { describe_(operation); }

 private:
  using Variant = std::variant<Plain, Coroutine>;

  template <class F>
  static Variant erase(F function) {
    using Call = web::CallFor<F>;
    using Result = std::remove_cvref_t<typename web::SignatureFor<F>::Result>;
    if constexpr (Call::kTakesOver) {
      static_assert(!Call::kWaits, "a handler of an event stream or a WebSocket cannot take parameters that wait");
      return Plain([function = std::move(function)](Request& request) mutable {
        return web::respond_taking_over(function, request);
      });
    } else if constexpr (std::is_same_v<Result, Task<Response>> && Call::kOwns && !Call::kWaits) {
      return Coroutine([function = std::move(function)](Request& request) mutable {
        if (Call::kBody == BodyUse::whole && !request.has_whole_body()) return web::respond_later(function, request);
        auto arguments = Call::arguments(request);
        return Call::apply(function, arguments);
      });
    } else if constexpr (web::TaskOf<Result>::value || Call::kWaits) {
      return Coroutine(
          [function = std::move(function)](Request& request) mutable { return web::respond_later(function, request); });
    } else {
      return Plain(
          [function = std::move(function)](Request& request) mutable { return web::respond_now(function, request); });
    }
  }

  mutable Variant call_;
  BodyUse body_;
  std::vector<Requirement> requirements_;
  void (*describe_)(openapi::Operation&);
};

}  // namespace volt::http
