#include "http/error_answers.h"

#include <algorithm>
#include <cstdio>

#include "http/body_writer.h"
#include "http/problem.h"

namespace volt::http {
namespace {

void log_failure(const Request& request, const char* what) noexcept {
  constexpr std::size_t kPathBytesMax = 200;
  const std::string_view path = request.path();
  const int path_bytes = static_cast<int>(std::min(path.size(), kPathBytesMax));
  std::fprintf(stderr, "volt: handler of %.*s threw %s\n", path_bytes, path.data(), what);
}

Response answer_unknown(const std::exception_ptr& error, const Request& request) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Problem& problem) {
    try {
      return problem.to_response(request.id());
    } catch (const std::exception& broken) {
      log_failure(request, broken.what());
    }
  } catch (const Disconnected&) {
    return Response::plain(Status::bad_request).close();  // nobody reads it
  } catch (const std::exception& unknown) {
    log_failure(request, unknown.what());
  } catch (...) {  // decided: anything thrown by a handler is a failed request and nothing more
    log_failure(request, "something that is no std::exception");
  }
  try {
    return Problem(Status::internal_server_error).to_response(request.id());
  } catch (const std::exception&) {  // decided: out of memory even for that
    return Response::plain(Status::internal_server_error);
  }
}

}  // namespace

Response ErrorAnswers::answer(const std::exception_ptr& error, const Request& request) const noexcept {
  try {
    for (Answer& answer : answers_) {
      if (std::optional<Response> response = answer(error, request)) return std::move(*response);
    }
  } catch (...) {  // decided: an error answer that fails is a failure like any other
    return answer_unknown(std::current_exception(), request);
  }
  return answer_unknown(error, request);
}

}  // namespace volt::http
