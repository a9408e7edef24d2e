#include "http/serve/respond.h"

#include <cstdio>
#include <exception>
#include <string>

#include "runtime/cancel.h"

namespace volt::http::serve {
namespace {

// The exception that is being handled, once in the log and as a 500 to the client, who learns nothing of its text.
Response answer_exception(const Request& request) noexcept {
  const std::string path(request.path().substr(0, 200));
  try {
    throw;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "volt: handler of %s threw: %s\n", path.c_str(), error.what());
  } catch (...) {  // decided: anything thrown by a handler is a failed request and nothing more
    std::fprintf(stderr, "volt: handler of %s threw something that is no std::exception\n", path.c_str());
  }
  return Response::plain(Status::internal_server_error);
}

Response answer_unrouted(std::string_view allow, const Request& request) {
  if (request.method() == Method::options) {  // RFC 9110 section 9.3.7
    Response response(request.path() == "*" || !allow.empty() ? Status::no_content : Status::not_found);
    if (!allow.empty()) response.header("Allow", allow);
    return response;
  }
  if (allow.empty()) return Response::plain(Status::not_found);
  Response response = Response::plain(Status::method_not_allowed);  // RFC 9110 section 15.5.6
  response.header("Allow", allow);
  return response;
}

}  // namespace

Response respond(const route::FixedRoutes::Found& found, Request& request) noexcept {
  try {
    if (found.handler == nullptr) return answer_unrouted(found.allow, request);
    return (*found.handler->plain())(request);
  } catch (...) {  // decided: see answer_exception
    return answer_exception(request);
  }
}

Task<Response> respond_later(const Handler::Coroutine& handler, Request& request) {
  try {
    auto task = handler(request);
    co_return co_await std::move(task);
  } catch (const Cancelled&) {
    throw;
  } catch (...) {  // decided: see answer_exception
    co_return answer_exception(request);
  }
}

}  // namespace volt::http::serve
