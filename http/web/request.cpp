// SPDX-License-Identifier: MIT

#include "http/web/request.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/message/cookie.h"
#include "http/web/response.h"

namespace volt::http {

std::optional<std::string_view> Request::bearer() const noexcept {
  constexpr std::string_view kScheme = "bearer ";
  const auto field = header("authorization");
  if (!field || !message::equal_ignoring_case(field->substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return message::trim_ows(field->substr(kScheme.size()));
}

std::optional<std::string_view> Request::cookie(std::string_view name) const noexcept {
  for (const std::string_view line : headers().all("cookie")) {
    if (const auto value = message::find_cookie(line, name)) return value;
  }
  return std::nullopt;
}

bool Request::requests_upgrade(std::string_view protocol) const noexcept {
  return version() == Version::http_1_1 && headers().lists("connection", "upgrade") &&
         headers().lists("upgrade", protocol);
}

std::optional<std::string> Request::param(std::string_view name) const {
  if (route_ == nullptr) return std::nullopt;
  const auto& names = route_->names;
  const auto place = std::ranges::find(names, name);
  if (place == names.end()) return std::nullopt;
  return param(static_cast<std::size_t>(place - names.begin()));
}

std::string Request::param(std::size_t index) const { return params_.decoded(index); }

void Request::set_id(std::string id) {
  id_ = std::move(id);
  if (connection_ != nullptr) connection_->note_request_id(id_);
}

Task<std::string_view> Request::read_body() {
  if (!has_whole_body()) body_ = co_await source_->rest();
  whole_ = true;
  co_return body_;
}

// The part of the body that was received with the head is the first piece.
Task<std::optional<std::string_view>> Request::read_body_piece() {
  if (!body_.empty()) co_return std::exchange(body_, {});
  if (whole_ || source_ == nullptr) co_return std::nullopt;
  co_return co_await source_->next();
}

void Request::limit_body(std::uint64_t bytes_max) noexcept {
  if (source_ != nullptr) source_->limit(bytes_max);
}

bool Request::send_interim(const Response& interim) {
  const std::uint16_t status = code(interim.status());
  if (status <= code(Status::switching_protocols) || status >= 200) {
    throw std::invalid_argument("an interim response must have a status in 102..199");
  }
  return version() == Version::http_1_1 && source_ != nullptr && source_->send_interim(interim);
}

void Request::throw_missing(std::string_view type_name) {
  throw std::logic_error("neither the request nor the app's state holds a value of type " + std::string(type_name));
}

void Request::end_exchange(const ExchangeEnd& end) noexcept {
  while (!after_response_.empty()) {
    after_response_.back()(end);
    after_response_.pop_back();
  }
}

}  // namespace volt::http
