// SPDX-License-Identifier: MIT

#include "http/ops/internal/trusted_host.h"

#include <algorithm>
#include <utility>

#include "http/message/ascii.h"
#include "http/message/host_port.h"
#include "http/message/ip_address.h"
#include "http/web/response.h"

namespace volt::http::ops {
namespace {

bool is_address(std::string_view name) noexcept {
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return message::IpAddress::parse(name).has_value();
}

// Whether a page of another site sends the request, other than by a link that opens a page of this one.
bool is_of_another_site(const Request& request) {
  const auto site = request.header("Sec-Fetch-Site");
  const bool opens_page =
      request.header("Sec-Fetch-Mode") == "navigate" && request.header("Sec-Fetch-Dest") == "document";
  return site && *site != "same-origin" && *site != "none" && !opens_page;
}

class RequireTrustedHost {
 public:
  explicit RequireTrustedHost(std::vector<std::string> names) : names_(std::move(names)) {}

  Task<Response> operator()(Request& request, Next next) {
    if (!trusted_host(request.host(), names_)) co_return Response::plain(Status::misdirected_request);
    if (is_of_another_site(request)) co_return Response::plain(Status::forbidden);
    co_return co_await next(request);
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

bool trusted_host(std::string_view host, const std::vector<std::string>& names) noexcept {
  const std::string_view name = message::without_port(host);
  const auto is_name = [name](std::string_view known) { return message::equal_ignoring_case(name, known); };
  return host.empty() || is_address(name) || is_name("localhost") || std::ranges::any_of(names, is_name);
}

Middleware require_trusted_host(std::vector<std::string> names) {
  return Middleware(RequireTrustedHost(std::move(names)));
}

}  // namespace volt::http::ops
