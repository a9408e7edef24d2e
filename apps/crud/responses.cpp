// SPDX-License-Identifier: MIT

#include "apps/crud/responses.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace crud {

namespace http = volt::http;

namespace {

std::string tag_of(const Item& item) { return "\"" + std::to_string(item.version) + "\""; }

constexpr std::string_view kEtagDescription = "The item's version, for If-Match";

}  // namespace

http::Response ItemWithEtag::into_response(const http::Request&) && {
  return http::Response::json(http::to_json(item)).header("ETag", tag_of(item));
}

void ItemWithEtag::describe(http::openapi::Operation& operation) {
  http::describe_result<Item>(operation);
  operation.response_header(http::Status::ok, "ETag", kEtagDescription);
}

http::Response CreatedItem::into_response(const http::Request& request) && {
  return http::into_response(http::Created<Item>(item), request).header("ETag", tag_of(item));
}

void CreatedItem::describe(http::openapi::Operation& operation) {
  http::describe_result<http::Created<Item>>(operation);
  operation.response_header(http::Status::created, "ETag", kEtagDescription);
}

http::Response ItemPage::into_response(const http::Request& request) && {
  http::Response response = http::Response::json(http::to_json(items));
  if (next.empty()) return response;
  // Repeats the query with another cursor. The rest of the query has been parsed, so it is well-formed.
  std::string link = "<" + std::string(request.path()) + "?";
  std::string_view rest = request.query();
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    if (!field.empty() && !field.starts_with("after=")) link.append(field).append("&");
  }
  response.header("Link", link.append("after=").append(next).append(">; rel=\"next\""));
  return response;
}

void ItemPage::describe(http::openapi::Operation& operation) {
  http::describe_result<std::vector<Item>>(operation);
  operation.response_header(http::Status::ok, "Link", "The next page, unless it is the last: <...>; rel=\"next\"");
}

std::expected<VersionCondition, std::string> from_text(std::string_view text, std::type_identity<VersionCondition>) {
  if (text == "*") return VersionCondition{};
  constexpr std::int64_t kNone = -1;
  VersionCondition wanted{.version = kNone};
  if (text.size() < 3 || !text.starts_with('"') || !text.ends_with('"')) return wanted;
  std::int64_t version = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data() + 1, end, version);
  if (error == std::errc() && stop == end && version > 0) wanted.version = version;
  return wanted;
}

}  // namespace crud
