// SPDX-License-Identifier: MIT

#include "http/client/internal/redirect.h"

namespace volt::http::client {
namespace {

// Returns the method of the next request; none if the status is not a redirect.
std::optional<Method> method_after(Status status, Method method) noexcept {
  switch (status) {
    case Status::moved_permanently:
    case Status::found:
      return method == Method::post ? Method::get : method;
    case Status::see_other:
      return method == Method::head ? Method::head : Method::get;
    case Status::temporary_redirect:
    case Status::permanent_redirect:
      return method;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Redirect> redirect_of(const ClientResponse& response, Method method, const Uri& uri,
                                    bool body_was_streamed) {
  const std::optional<Method> next = method_after(response.status(), method);
  const std::optional<std::string_view> location = response.header("location");
  if (!next || !location) return std::nullopt;
  std::optional<Uri> target = resolve_reference(uri, *location);
  const bool keeps_body = *next == method && response.status() != Status::see_other;
  if (!target || (uri.secure && !target->secure) || (keeps_body && body_was_streamed)) return std::nullopt;
  return Redirect{std::move(*target), *next, keeps_body};
}

}  // namespace volt::http::client
