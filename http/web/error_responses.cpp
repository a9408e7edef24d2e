// SPDX-License-Identifier: MIT

#include "http/web/error_responses.h"

#include <new>
#include <span>

#include "http/web/body_writer.h"
#include "http/web/problem.h"
#include "runtime/log.h"

namespace volt::http {
namespace {

void log_failure(const Request& request, const char* what) noexcept {
  const LogField fields[] = {{"path", request.path()}, {"error", what}, {"request_id", request.id()}};
  log(LogLevel::error, "handler threw an exception", std::span(fields).first(request.id().empty() ? 2 : 3));
}

// Does not allocate. Closes the connection: a load balancer may send the client's next connection to another process,
// which may have memory.
Response no_memory() noexcept { return Response::plain(Status::service_unavailable).close(); }

Response respond_to_unknown(const std::exception_ptr& error, const Request& request) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Problem& problem) {
    try {
      return problem.to_response(request.id());
    } catch (const std::bad_alloc&) {
      return no_memory();
    } catch (const std::exception& broken) {
      log_failure(request, broken.what());
    }
  } catch (const Disconnected&) {
    return Response::plain(Status::bad_request).close();  // Sent to no client: it has disconnected.
  } catch (const std::bad_alloc& exhausted) {
    log_failure(request, exhausted.what());
    return no_memory();
  } catch (const std::exception& unknown) {
    log_failure(request, unknown.what());
  } catch (...) {  // Decided: any exception of a handler fails only its request.
    log_failure(request, "exception not derived from std::exception");
  }
  try {
    return Problem(Status::internal_server_error).to_response(request.id());
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::exception&) {  // Decided: respond with a text that needs no memory.
    return Response::plain(Status::internal_server_error);
  }
}

}  // namespace

Response ErrorResponses::respond(const std::exception_ptr& error, const Request& request) const noexcept {
  try {
    for (ErrorHandler& respond : handlers_) {
      if (std::optional<Response> response = respond(error, request)) return std::move(*response);
    }
  } catch (...) {  // Decided: an error handler that throws fails like any other handler.
    return respond_to_unknown(std::current_exception(), request);
  }
  return respond_to_unknown(error, request);
}

}  // namespace volt::http
