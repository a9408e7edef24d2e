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
#include "http/web/internal/checked_handler.h"
#include "http/web/internal/configured.h"
#include "http/web/internal/signature.h"
#include "http/web/into_response.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http {
namespace web {

// Calls the handler `function` in a coroutine. `function` stays in its route as long as the app is served, so a
// coroutine may use its captures.
template <class F>
Task<Response> respond_later(F& function, Request& request) {
  using Call = CallFor<F>;
  using Result = std::remove_cvref_t<typename SignatureFor<F>::Result>;
  if constexpr (Call::kBody == BodyUse::whole) {
    if (!request.has_whole_body()) co_await request.read_body();
  }
  auto arguments = Call::begin_arguments(request);
  if constexpr (Call::kWaits) {
    co_await Call::gather(request, arguments);
  }
  if constexpr (std::is_void_v<Result>) {
    Call::apply(function, arguments);
    co_return Response(Status::no_content);
  } else if constexpr (!TaskOf<Result>::value) {
    co_return into_response(Call::apply(function, arguments), request);
  } else if constexpr (std::is_void_v<typename TaskOf<Result>::Value>) {
    co_await Call::apply(function, arguments);
    co_return Response(Status::no_content);
  } else {
    co_return into_response(co_await Call::apply(function, arguments), request);
  }
}

template <class F>
Response respond_now(F& function, Request& request) {
  using Call = CallFor<F>;
  auto arguments = Call::arguments(request);
  using Result = typename SignatureFor<F>::Result;
  if constexpr (std::is_void_v<Result>) {
    Call::apply(function, arguments);
    return Response(Status::no_content);
  } else if constexpr (std::is_same_v<Result, Response>) {
    return Call::apply(function, arguments);  // not moved, as into_response() would
  } else {
    return into_response(Call::apply(function, arguments), request);
  }
}

// Finds the type of the parameter that takes over the response (see kTakesOver in http/web/internal/call.h); void if
// there is none.
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

class Handler;
template <>
inline constexpr bool web::kIsHandler<Handler> = true;

class Handler {
 private:
  struct Parts;

 public:
  using Plain = std::move_only_function<Response(Request&)>;
  using Coroutine = std::move_only_function<Task<Response>(Request&)>;

  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Handler> && !std::same_as<F, Parts>)
  Handler(F function)  // NOLINT: implicit, so that routes read app.get(path, f)
      : Handler(parts_of(std::move(function))) {}

  // Makes a handler that uses the body as `body` states, not as its parameters imply.
  template <class F>
  Handler(F function, BodyUse body) : Handler(std::move(function)) {
    body_ = body;
  }

  // Exactly one of plain() and coroutine() returns a non-null pointer. Many threads at a time may call the function
  // that it points to.
  [[nodiscard]] Plain* plain() const noexcept { return std::get_if<Plain>(&call_); }
  [[nodiscard]] Coroutine* coroutine() const noexcept { return std::get_if<Coroutine>(&call_); }

  [[nodiscard]] BodyUse body() const noexcept { return body_; }
  [[nodiscard]] const std::vector<Requirement>& requirements() const noexcept { return requirements_; }
  // Adds the parameters and results of the handler's signature to `operation`.
  void describe(openapi::Operation& operation) const { describe_(operation); }

 private:
  using Variant = std::variant<Plain, Coroutine>;

  struct Parts {
    Variant call;
    BodyUse body;
    std::vector<Requirement> requirements;
    void (*describe)(openapi::Operation&);
  };
  explicit Handler(Parts parts)
      : call_(std::move(parts.call)),
        body_(parts.body),
        requirements_(std::move(parts.requirements)),
        describe_(parts.describe) {}

  template <class F>
  static Parts parts_of(F function) {
    if constexpr (web::kIsHandler<F>) {
      using Call = web::CallFor<F>;
      return {erase(std::move(function)), Call::kBody, Call::requirements(), web::describe<F>};
    } else {
      static_cast<void>(sizeof(web::HandlerMistake<F>));
      std::unreachable();
    }
  }

  template <class F>
  static Variant erase(F function) {
    using Call = web::CallFor<F>;
    using Result = std::remove_cvref_t<typename web::SignatureFor<F>::Result>;
    if constexpr (Call::kTakesOver) {
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
