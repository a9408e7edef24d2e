// SPDX-License-Identifier: MIT

// stream: a response whose body is written by a coroutine.
//
//   Task<> export_rows(BodyWriter& out, State<Db> db) { ... co_await out.write(row); ... }
//   app.get("/export.csv", [](State<Db> db) { return http::stream("text/csv", export_rows, db); });
//
// The coroutine runs after the handler and its middleware have returned. Its arguments are therefore stored in the
// response until the body has been sent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "http/web/body_writer.h"
#include "http/web/response.h"

namespace volt::http {

template <class F, class... Args>
class FunctionBody final : public StreamBody {
 public:
  explicit FunctionBody(F function, Args... args) : function_(std::move(function)), args_(std::move(args)...) {}
  [[nodiscard]] Task<> write_to(BodyWriter& out) override {
    return std::apply([&](Args&... args) { return std::invoke(function_, out, args...); }, args_);
  }

 private:
  F function_;
  std::tuple<Args...> args_;
};

template <class F, class... Args>
Response stream(std::string content_type, F function, Args... args) {
  static constexpr bool kIsCoroutine = [] {
    if constexpr (std::is_invocable_v<F&, BodyWriter&, Args&...>) {
      return std::is_same_v<std::invoke_result_t<F&, BodyWriter&, Args&...>, Task<>>;
    } else {
      return false;
    }
  }();
  static_assert(kIsCoroutine, "http::stream takes a coroutine Task<> (BodyWriter& out, args...)");
  if constexpr (kIsCoroutine) {
    auto body = std::make_unique<FunctionBody<F, Args...>>(std::move(function), std::move(args)...);
    return Response::streamed(std::move(body), std::move(content_type));
  } else {
    std::unreachable();
  }
}

}  // namespace volt::http
