// SPDX-License-Identifier: MIT

#include "http/web/problem.h"

#include <algorithm>
#include <stdexcept>

#include "http/json/json.h"
#include "http/message/ascii.h"
#include "http/web/internal/reserved_fields.h"

namespace volt::http {

Problem::Problem(Status status, std::string detail) : status_(status), detail_(std::move(detail)) {
  if (code(status) < 400 || code(status) > 599) throw std::invalid_argument("a problem's status must be in 400..599");
  if (status == Status::unauthorized) header("WWW-Authenticate", "Bearer");
  if (status == Status::too_many_requests || status == Status::service_unavailable) header("Retry-After", "1");
}

Problem& Problem::type(std::string uri) {
  type_ = std::move(uri);
  return *this;
}

Problem& Problem::title(std::string text) {
  title_ = std::move(text);
  return *this;
}

Problem& Problem::invalid(std::string field, std::string detail) {
  invalid_.push_back({std::move(field), std::move(detail)});
  return *this;
}

Problem& Problem::header(std::string_view name, std::string_view value) {
  const bool names_protocols = message::equal_ignoring_case(name, "upgrade");  // of a 426, RFC 9110 section 15.5.22
  if (!names_protocols) require_not_reserved(name);
  if (message::equal_ignoring_case(name, "content-type"))
    throw std::invalid_argument("the content type of a problem is application/problem+json: do not set it");
  fields_.set(name, value);
  return *this;
}

Problem& Problem::retry_after(std::chrono::milliseconds delay) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(std::max(delay, std::chrono::milliseconds(0)));
  return header("Retry-After", std::to_string(seconds.count()));
}

Problem& Problem::close() noexcept {
  close_ = true;
  return *this;
}

Response Problem::to_response(std::string_view request_id) const {
  std::string text = "{";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    if (text.size() > 1) text += ',';
    append_json(name, text);
    text += ':';
    append_json(value, text);
  };
  add("type", type_);
  add("title", title_.empty() ? reason_phrase(status_) : std::string_view(title_));
  text.append(text.size() > 1 ? "," : "").append("\"status\":").append(std::to_string(code(status_)));
  add("detail", detail_);
  if (!invalid_.empty()) {
    text += ",\"errors\":";
    append_json(invalid_, text);
  }
  add("request_id", request_id);
  text += '}';

  Response response(status_);
  response.body(std::move(text), "application/problem+json");
  response.set_headers(fields_);
  if (close_) response.close();
  return response;
}

Problem too_many_requests(std::chrono::milliseconds retry_after) {
  Problem problem(Status::too_many_requests);
  problem.retry_after(retry_after);
  return problem;
}

}  // namespace volt::http
