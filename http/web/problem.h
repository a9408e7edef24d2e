// SPDX-License-Identifier: MIT

// Problem: an error response in the format of RFC 9457 (application/problem+json).
//
//   throw http::not_found("no such item");
//   throw http::unauthorized().header("WWW-Authenticate", "Bearer");
//   return http::unavailable().retry_after(1s);
//
// A Problem is an exception, so that a handler can end its request with it from any depth, and a value, so that a
// handler can return it. Any other exception of a handler becomes a 500 that reveals no details, with the exceptions
// that http/web/error_responses.h lists.
//
// Threads: a value.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/headers.h"
#include "http/message/status.h"
#include "http/web/response.h"

namespace volt::http {

class Problem : public std::exception {
 public:
  // `detail` is sent to the client. A problem with status 401 has a WWW-Authenticate field with a challenge for a
  // bearer token, and one with 429 or 503 has `Retry-After: 1`; header() and retry_after() replace these fields. Throws
  // std::invalid_argument for a status outside 400..599.
  explicit Problem(Status status, std::string detail = {});

  // Sets the URI that identifies the type of problem (RFC 9457 section 3.1.1); without it the type is about:blank.
  Problem& type(std::string uri);
  // Sets the title, which by default is the status's reason phrase.
  Problem& title(std::string text);
  // Adds an entry to the list of input errors. `field` is the location of the error: a JSON Pointer or the name of a
  // parameter.
  Problem& invalid(std::string field, std::string detail);
  // Sets a field of the response. Throws std::invalid_argument for Content-Type, and for the fields that the server
  // writes itself, such as Content-Length.
  Problem& header(std::string_view name, std::string_view value);
  // Sets Retry-After, in seconds rounded up (RFC 9110 section 10.2.3).
  Problem& retry_after(std::chrono::milliseconds delay);
  // Closes the connection after this response.
  Problem& close() noexcept;

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
  [[nodiscard]] const char* what() const noexcept override { return detail_.c_str(); }

  // Makes the response. Its JSON has a member "request_id", unless `request_id` is empty.
  [[nodiscard]] Response to_response(std::string_view request_id = {}) const;

 private:
  struct Invalid {
    std::string field;
    std::string detail;
  };

  Status status_;
  bool close_ = false;
  std::string type_;
  std::string title_;
  std::string detail_;
  std::vector<Invalid> invalid_;
  FieldList fields_;
};

[[nodiscard]] inline Problem bad_request(std::string detail = {}) {
  return Problem(Status::bad_request, std::move(detail));
}
[[nodiscard]] inline Problem unauthorized(std::string detail = {}) {
  return Problem(Status::unauthorized, std::move(detail));
}
[[nodiscard]] inline Problem forbidden(std::string detail = {}) {
  return Problem(Status::forbidden, std::move(detail));
}
[[nodiscard]] inline Problem not_found(std::string detail = {}) {
  return Problem(Status::not_found, std::move(detail));
}
[[nodiscard]] inline Problem conflict(std::string detail = {}) { return Problem(Status::conflict, std::move(detail)); }
[[nodiscard]] inline Problem unprocessable(std::string detail = {}) {
  return Problem(Status::unprocessable_content, std::move(detail));
}
[[nodiscard]] Problem too_many_requests(std::chrono::milliseconds retry_after);
[[nodiscard]] inline Problem unavailable(std::string detail = {}) {
  return Problem(Status::service_unavailable, std::move(detail));
}

}  // namespace volt::http
