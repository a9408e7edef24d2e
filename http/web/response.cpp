// SPDX-License-Identifier: MIT

#include "http/web/response.h"

#include <algorithm>
#include <stdexcept>

#include "http/cookies/cookies.h"
#include "http/message/hop_by_hop.h"
#include "http/web/body_writer.h"
#include "http/web/internal/reserved_fields.h"
#include "http/web/upgrade.h"

namespace volt::http {
namespace {

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

Status require_status(Status status) {
  if (code(status) < 100 || code(status) > 599) throw std::invalid_argument("status code outside 100..599");
  return status;
}

}  // namespace

Response::Response(Status status) : status_(require_status(status)) {}
Response::Response(Response&& other) noexcept = default;
Response& Response::operator=(Response&& other) noexcept = default;
Response::~Response() = default;

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

Response Response::no_content() { return Response(Status::no_content); }

Response Response::plain(Status status) {
  Response response(status);
  response.static_body_ = reason_phrase(status);
  response.static_content_type_ = kPlainText;
  return response;
}

Response Response::streamed(std::unique_ptr<StreamBody> body, std::string content_type) {
  require_field("content-type", content_type);
  Response response;
  response.stream_ = std::move(body);
  response.owned_content_type_ = std::move(content_type);
  return response;
}

Response Response::upgrade(std::unique_ptr<Upgrade> upgrade) {
  Response response(Status::switching_protocols);
  response.upgrade_ = std::move(upgrade);
  return response;
}

Response& Response::status(Status status) & {
  status_ = require_status(status);
  return *this;
}

Response& Response::body(std::string body, StaticText content_type) & {
  replace_body(std::move(body));
  owned_content_type_.clear();
  static_content_type_ = content_type.view();
  return *this;
}

Response& Response::replace_body(std::string body) noexcept {
  owned_body_ = std::move(body);
  static_body_ = {};
  stream_ = nullptr;
  return *this;
}

Response& Response::replace_body(std::unique_ptr<StreamBody> body) noexcept {
  owned_body_.clear();
  static_body_ = {};
  stream_ = std::move(body);
  return *this;
}

std::optional<std::uint64_t> Response::body_size() const noexcept { return stream_ ? stream_->size() : body().size(); }

std::unique_ptr<StreamBody> Response::take_stream() noexcept { return std::move(stream_); }

std::unique_ptr<Upgrade> Response::take_upgrade() noexcept { return std::move(upgrade_); }

void Response::replace_upgrade(std::unique_ptr<Upgrade> upgrade) noexcept { upgrade_ = std::move(upgrade); }

std::string_view Response::upgrade_protocol() const noexcept { return upgrade_->protocol(); }

Response& Response::header(std::string_view name, std::string_view value) & {
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

Response& Response::add_header(std::string_view name, std::string_view value) & {
  if (message::equal_ignoring_case(name, "content-type")) return header(name, value);
  require_not_reserved(name);
  fields_.add(name, value);
  return *this;
}

Response& Response::cookie(const SetCookie& cookie) & { return add_header("Set-Cookie", cookie.to_string()); }

Response& Response::remove_header(std::string_view name) {
  if (message::equal_ignoring_case(name, "content-type")) {
    owned_content_type_.clear();
    static_content_type_ = {};
  } else {
    fields_.remove(name);
  }
  return *this;
}

Response& Response::set_headers(const FieldList& fields) {
  fields_.set_all(fields);
  return *this;
}

Response& Response::forward(const Fields& fields) & {
  const message::EndToEndFields end_to_end(fields);
  for (const Field& field : fields) {
    const bool is_date = message::equal_ignoring_case(field.name, "date");
    if (!is_date && end_to_end.contains(field.name)) add_header(field.name, field.value);
  }
  return *this;
}

std::optional<std::string_view> Response::header(std::string_view name) const& noexcept {
  if (message::equal_ignoring_case(name, "content-type")) {
    if (content_type().empty()) return std::nullopt;
    return content_type();
  }
  return fields_.find(name);
}

}  // namespace volt::http
