// ErrorResponses: what a request is answered when something was thrown on its way.
//
// Threads: filled by one; then const members by any.
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
  // `function` takes an exception by const reference, and perhaps the request behind it; what it returns becomes the
  // answer. The first that fits, in the order in which they were added.
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
      } catch (...) {  // decided: another's
        return std::nullopt;
      }
    });
  }

  // A Problem says its answer itself. Anything else is logged once and answered with a 500 that tells nothing.
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
