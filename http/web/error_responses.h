// SPDX-License-Identifier: MIT

// ErrorResponses: makes the response to an exception that was thrown while a request was processed.
//
// Threads: add() is called by one thread, before requests are served; then respond() may be called by any thread.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/web/internal/signature.h"
#include "http/web/into_response.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http {

class ErrorResponses {
 public:
  // Adds a function for one type of exception. The function's first parameter is the exception by const reference, and
  // it may have the request as a second parameter. The function's result becomes the response. Of several functions
  // that fit an exception, the one added first is called.
  template <class F>
  void add(F function) {
    if constexpr (!kTakesError<F>) {
      static_assert(
          kTakesError<F>,
          "on_error takes a function of an exception, by const reference, and optionally of const Request&; its "
          "result becomes the response");
    } else if constexpr (!web::kIsResult<ResultOf<F>>) {
      static_cast<void>(sizeof(web::ResultMistake<web::WrongInResult<ResultOf<F>>>));
    } else {
      add_checked(std::move(function));
    }
  }

  // Returns the response of the first function that fits `error`, and logs the error if this response is a 5xx. If no
  // function fits, a Problem has its own response. Any other exception is logged and receives a 500 that reveals no
  // details; a 507 if a disk is full, and a 503 if memory is short. Disconnected is not logged, and its response
  // reaches no client.
  [[nodiscard]] Response respond(const std::exception_ptr& error, const Request& request) const noexcept;

 private:
  template <class...>
  struct FirstOf {
    using type = Request;  // the function has no parameter, so no exception
  };
  template <class First, class... Rest>
  struct FirstOf<First, Rest...> {
    using type = std::remove_cvref_t<First>;
  };
  template <class F>
  using ErrorOf = typename web::SignatureOf<F>::template Apply<FirstOf>::type;

  template <class F>
  using ResultOf = std::remove_cvref_t<typename web::SignatureOf<F>::Result>;
  template <class F>
  static constexpr bool kTakesError =
      web::SignatureOf<F>::kIsKnown && !std::is_same_v<ErrorOf<F>, Request> &&
      (std::is_invocable_v<F&, const ErrorOf<F>&> || std::is_invocable_v<F&, const ErrorOf<F>&, const Request&>);

  template <class F>
  void add_checked(F function) {
    using Error = ErrorOf<F>;
    handlers_.push_back([function = std::move(function)](std::exception_ptr error,
                                                         const Request& request) mutable -> std::optional<Response> {
      try {
        std::rethrow_exception(std::move(error));
      } catch (const Error& known) {
        if constexpr (std::is_invocable_v<F&, const Error&, const Request&>) {
          return into_response(function(known, request), request);
        } else {
          return into_response(function(known), request);
        }
      } catch (...) {  // Decided: this exception is not an Error; the caller tries the next function.
        return std::nullopt;
      }
    });
  }

  using ErrorHandler = std::move_only_function<std::optional<Response>(std::exception_ptr, const Request&)>;
  mutable std::vector<ErrorHandler> handlers_;
};

}  // namespace volt::http
