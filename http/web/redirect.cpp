// SPDX-License-Identifier: MIT

#include "http/web/redirect.h"

#include <algorithm>
#include <stdexcept>

namespace volt::http {
namespace {

bool is_visible(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

bool leads_elsewhere(Status status) noexcept {
  return status == Status::moved_permanently || status == Status::found || status == Status::see_other ||
         status == Status::temporary_redirect || status == Status::permanent_redirect;
}

}  // namespace

Response redirect(std::string_view location, Status status) {
  if (!leads_elsewhere(status)) throw std::invalid_argument("a redirect's status must be 301, 302, 303, 307 or 308");
  if (location.empty() || !is_visible(location)) {
    throw std::invalid_argument("a redirect's location must be visible ASCII and not empty; percent-encode it");
  }
  return Response(status).header("Location", location);
}

Response permanent_redirect(std::string_view location) { return redirect(location, Status::permanent_redirect); }

bool is_local_path(std::string_view location) noexcept {
  return location.starts_with('/') && !location.starts_with("//") && is_visible(location) &&
         location.find('\\') == std::string_view::npos;
}

}  // namespace volt::http
