// SPDX-License-Identifier: MIT

#include "http/web/error_responses.h"

#include <cerrno>
#include <new>
#include <span>
#include <system_error>

#include "http/web/body_writer.h"
#include "http/web/http_log.h"
#include "http/web/problem.h"
#include "runtime/exception_text.h"
#include "tracing/span.h"

namespace volt::http {
namespace {

void log_failure(const Request& request, const std::exception_ptr& failure, Status status) noexcept {
  const ExceptionText text(failure);
  const LogField fields[] = {{"method", to_string(request.method())},
                             {"pattern", request.pattern()},
                             {"path", request.path()},
                             {"status", code(status)},
                             {"error", text.message()},
                             {"type", text.type()},
                             {"request_id", request.id()}};
  kHttpLog(LogLevel::error, "handler threw an exception", std::span(fields).first(request.id().empty() ? 6 : 7));
  if (tracing::ActiveSpan* const span = tracing::current_span()) {
    span->event("exception", {{"exception.type", text.type()}, {"exception.message", text.message()}});
  }
}

// Returns the status of an exception that is not a Problem.
Status status_of(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::system_error& failure) {
    const bool is_full = failure.code() == std::errc::no_space_on_device ||
                         failure.code() == std::error_code(EDQUOT, std::system_category());
    return is_full ? Status::insufficient_storage : Status::internal_server_error;  // RFC 4918 section 11.5
  } catch (...) {  // Decided: only a std::system_error may have a more specific status.
    return Status::internal_server_error;
  }
}

// Does not allocate. Closes the connection: a load balancer may send the client's next connection to another process,
// which may have memory.
Response no_memory() noexcept { return Response::plain(Status::service_unavailable).close(); }

Response respond_to_unknown(const std::exception_ptr& error, const Request& request) noexcept {
  Status status = Status::internal_server_error;
  try {
    std::rethrow_exception(error);
  } catch (const Problem& problem) {
    try {
      return problem.to_response(request.id());
    } catch (const std::bad_alloc&) {
      return no_memory();
    } catch (const std::exception&) {  // Decided: the problem could not be written; that failure is logged.
      log_failure(request, std::current_exception(), status);
    }
  } catch (const Disconnected&) {
    return Response::plain(Status::bad_request).close();  // Sent to no client: it has disconnected.
  } catch (const std::bad_alloc&) {
    log_failure(request, error, Status::service_unavailable);
    return no_memory();
  } catch (...) {  // Decided: any exception of a handler fails only its request.
    status = status_of(error);
    log_failure(request, error, status);
  }
  try {
    return Problem(status).to_response(request.id());
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::exception&) {  // Decided: respond with a text that needs no memory.
    return Response::plain(status);
  }
}

}  // namespace

Response ErrorResponses::respond(const std::exception_ptr& error, const Request& request) const noexcept {
  try {
    for (ErrorHandler& respond : handlers_) {
      std::optional<Response> response = respond(error, request);
      if (!response) continue;
      // The response may hide the cause, so the log must name it.
      if (code(response->status()) >= 500) log_failure(request, error, response->status());
      return std::move(*response);
    }
  } catch (...) {  // Decided: an error handler that throws fails like any other handler.
    return respond_to_unknown(std::current_exception(), request);
  }
  return respond_to_unknown(error, request);
}

}  // namespace volt::http
