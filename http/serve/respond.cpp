#include "http/serve/respond.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "runtime/cancel.h"

namespace volt::http::serve {
namespace {

// The exception that is being handled, once in the log and as a 500 to the client, who learns nothing of its text.
Response answer_exception(const Request& request) noexcept {
  constexpr std::size_t kPathBytesMax = 200;
  const std::string_view path = request.path();
  const int path_bytes = static_cast<int>(std::min(path.size(), kPathBytesMax));
  try {
    throw;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "volt: handler of %.*s threw: %s\n", path_bytes, path.data(), error.what());
  } catch (...) {  // decided: anything thrown by a handler is a failed request and nothing more
    std::fprintf(stderr, "volt: handler of %.*s threw something that is no std::exception\n", path_bytes, path.data());
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

Response respond(const App::Found& found, Request& request) noexcept {
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
    // Of this task, or of one that the handler joined? The former throws again at the next await.
  } catch (...) {  // decided: see answer_exception
    co_return answer_exception(request);
  }
  co_await yield();
  std::fprintf(stderr, "volt: a handler awaited a task that was cancelled\n");
  co_return Response::plain(Status::internal_server_error);
}

}  // namespace volt::http::serve
