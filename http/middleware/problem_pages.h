// SPDX-License-Identifier: MIT

// Error responses for people and for programs: a page for browsers, problem+json (RFC 9457) for API clients.
//
//   struct ErrorPage {
//     http::ProblemDetails problem;
//     static constexpr http::Template html = "<title>{{problem.title}}</title> <p>{{problem.detail}}";
//   };
//   app.use(http::problem_pages([](From<http::ProblemDetails> problem) { return ErrorPage{*problem}; }));
//
// The function is like a handler: it may be a coroutine and take State<T>, From<T>, CsrfField and the like, but not the
// body, and it returns a view (http/html/template.h) or a Response with HTML. The response keeps the status and the
// header fields of the problem; only the body and Content-Type are those of the page.
//
// Applies to every error response (4xx, 5xx) that comes from the rest of the chain and is a problem or has no body: of
// handlers, of exceptions, of the middleware that is listed after this one, and of the server for a path or a method
// without a route and for a body that is malformed or too large. So list it after the middleware whose values the page
// takes, such as sessions(), and before that whose refusals it is to show, such as csrf() and rate_limit(); compress()
// comes before it, because the body of a compressed response cannot be read.
//
// What the server refuses before it calls the app stays problem+json: malformed requests (400, 408, 431, 501, 505 ..),
// and the 503 of overload, which must be cheap.
//
// Threads: the factory is called while the app is built. The middleware, and the function, may run on any worker.
// Errors: a function that throws, or whose page is not HTML, is logged, and the client gets the problem.
// Cost: one coroutine frame per request. Source: RFC 9110 section 12.5.1 (Accept).
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/web/handler.h"
#include "http/web/middleware.h"
#include "http/web/request.h"

namespace volt::http {

// The content of an error response: the members of RFC 9457 section 3.1, and those that Problem adds.
struct ProblemDetails {
  struct Error {
    std::string field;
    std::string detail;
  };
  int status = 500;
  std::string type = "about:blank";
  std::string title;          // such as "Not Found"
  std::string detail;         // may be empty
  std::vector<Error> errors;  // of the input
  std::string request_id;     // empty without request_id() or the like
  std::string path;           // of the request
};

// Returns whether the client prefers HTML to JSON, by its Accept field. Browsers do; a client that accepts both
// equally, or everything, does not. A response that depends on it needs `Vary: Accept`.
[[nodiscard]] bool prefers_html(const Request& request) noexcept;

namespace middleware {

// Whether the function's result may be a page: neither text, which would not be escaped, nor JSON.
template <class F>
constexpr bool returns_page() {
  using Result = typename web::TaskOf<std::remove_cvref_t<typename web::SignatureFor<F>::Result>>::Value;
  if constexpr (std::is_same_v<Result, Response>) {
    return true;
  } else if constexpr (std::is_void_v<Result> || std::is_convertible_v<Result, std::string_view>) {
    return false;
  } else {
    return web::Respondable<Result> && !requires { requires IntoResponse<Result>::kIsJson; };
  }
}

[[nodiscard]] Middleware problem_pages_of(Handler page);

}  // namespace middleware

template <class F>
[[nodiscard]] Middleware problem_pages(F function) {
  static_assert(sizeof(web::HandlerMistakeIfAny<F>) > 0);
  if constexpr (!web::kIsHandler<F>) {
    std::unreachable();
  } else {
    using Call = web::CallFor<F>;
    constexpr bool kTakesRequest = Call::kBody != BodyUse::none || Call::kFromPath != 0 || Call::kTakesOver;
    static_assert(!kTakesRequest,
                  "the page of an error takes neither the body nor the path of a request, and not the Request: take "
                  "From<ProblemDetails>, State<T>, From<T>, Header, Cookie or CsrfField");
    static_assert(middleware::returns_page<F>(),
                  "the page of an error is a view, which is a struct with a template (http/html/template.h), or a "
                  "Response with HTML; or a Task of one");
    if constexpr (kTakesRequest || !middleware::returns_page<F>()) {
      std::unreachable();
    } else {
      return middleware::problem_pages_of(Handler(std::move(function)));
    }
  }
}

}  // namespace volt::http
