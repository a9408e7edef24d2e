// Problem: a request that fails, as RFC 9457 says it (application/problem+json).
//
//   throw http::not_found("no such item");
//   throw http::unauthorized().header("WWW-Authenticate", "Bearer");
//   return http::unavailable().retry_after(1s);
//
// An exception, so that any depth of a handler can end its request with it, and a value, so that it can be returned.
// What a handler throws besides is answered with a 500 that tells the client nothing.
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
  // `detail` is for the client to read. 401 challenges for a bearer token, 429 and 503 say to come again in a second,
  // until header() or retry_after() says otherwise. Throws std::invalid_argument for a status outside 400..599.
  explicit Problem(Status status, std::string detail = {});

  // A URI that names the kind of problem (RFC 9457 section 3.1.1); about:blank if none is given.
  Problem& type(std::string uri);
  // Instead of the status's reason phrase.
  Problem& title(std::string text);
  // One of several things that are wrong with the input: where (a JSON Pointer, or a parameter's name) and what.
  Problem& invalid(std::string field, std::string detail);
  Problem& header(std::string_view name, std::string_view value);
  // Seconds, rounded up (RFC 9110 section 10.2.3).
  Problem& retry_after(std::chrono::milliseconds delay);
  // The connection ends after this answer.
  Problem& close() noexcept;

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
  [[nodiscard]] const char* what() const noexcept override { return detail_.c_str(); }

  // `request_id` becomes the member of that name, if it is not empty.
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
