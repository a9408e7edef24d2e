#include "http/response.h"

#include <algorithm>
#include <stdexcept>

namespace volt::http {
namespace {

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

Status require_status(Status status) {
  if (code(status) < 100 || code(status) > 599) throw std::invalid_argument("status code outside 100..599");
  return status;
}

// Two voices about where a message ends are how responses get smuggled; these fields have one author, the encoder.
void require_not_reserved(std::string_view name) {
  constexpr std::string_view kReserved[] = {"content-length", "transfer-encoding", "connection", "date",
                                            "keep-alive",     "upgrade",           "te",         "trailer"};
  const bool reserved =
      std::ranges::any_of(kReserved, [&](std::string_view known) { return message::equal_ignoring_case(name, known); });
  if (reserved) throw std::invalid_argument("header field is written by the server");
}

}  // namespace

Response::Response(Status status) : status_(require_status(status)) {}

Response Response::text(std::string body, Status status) {
  Response response(status);
  response.owned_body_ = std::move(body);
  response.static_content_type_ = kPlainText;
  return response;
}

Response Response::html(std::string body, Status status) {
  Response response(status);
  response.owned_body_ = std::move(body);
  response.static_content_type_ = "text/html; charset=utf-8";
  return response;
}

Response Response::json(std::string body, Status status) {
  Response response(status);
  response.owned_body_ = std::move(body);
  response.static_content_type_ = "application/json";
  return response;
}

Response Response::fixed(StaticText body, StaticText content_type, Status status) {
  Response response(status);
  response.static_body_ = body.view();
  response.static_content_type_ = content_type.view();
  return response;
}

Response Response::plain(Status status) {
  Response response(status);
  response.static_body_ = reason_phrase(status);
  response.static_content_type_ = kPlainText;
  return response;
}

Response& Response::status(Status status) {
  status_ = require_status(status);
  return *this;
}

Response& Response::body(std::string body, StaticText content_type) {
  owned_body_ = std::move(body);
  static_body_ = {};
  owned_content_type_.clear();
  static_content_type_ = content_type.view();
  return *this;
}

Response& Response::header(std::string_view name, std::string_view value) {
  require_not_reserved(name);
  if (message::equal_ignoring_case(name, "content-type")) {
    require_field(name, value);
    owned_content_type_ = value;
    static_content_type_ = {};
  } else {
    fields_.set(name, value);
  }
  return *this;
}

Response& Response::add_header(std::string_view name, std::string_view value) {
  if (message::equal_ignoring_case(name, "content-type")) return header(name, value);
  require_not_reserved(name);
  fields_.add(name, value);
  return *this;
}

std::optional<std::string_view> Response::header(std::string_view name) const noexcept {
  if (message::equal_ignoring_case(name, "content-type")) {
    if (content_type().empty()) return std::nullopt;
    return content_type();
  }
  return fields_.find(name);
}

}  // namespace volt::http
