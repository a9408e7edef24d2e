// SPDX-License-Identifier: MIT

// ErrorResponses: maps an exception that was thrown while a request was processed to the response.
//
// Threads: add() is called by one thread, before requests are served; then respond() may be called by any thread.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "http/web/internal/signature.h"
#include "http/web/into_response.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http {

class ErrorResponses {
 public:
  // Adds a function for one type of exception. Its first parameter is the exception by const reference; it may take the
  // request as a second parameter. Its result becomes the response. Of several functions that fit an exception, the one
  // added first is called.
  template <class F>
  void add(F function) {
    using Signature = web::SignatureOf<std::remove_cvref_t<F>>;
    using Error = typename Signature::template Apply<FirstOf>::type;
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
      } catch (...) {  // Decided: not an Error; try the next function.
        return std::nullopt;
      }
    });
  }

  // Returns the response of the function that fits `error`. A Problem has its own response. Any other exception is
  // logged and receives a 500 that reveals no details.
  [[nodiscard]] Response respond(const std::exception_ptr& error, const Request& request) const noexcept;

 private:
  template <class First, class...>
  struct FirstOf {
    using type = std::remove_cvref_t<First>;
  };

  using ErrorHandler = std::move_only_function<std::optional<Response>(std::exception_ptr, const Request&)>;
  mutable std::vector<ErrorHandler> handlers_;
};

}  // namespace volt::http
