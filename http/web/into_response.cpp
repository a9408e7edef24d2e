// SPDX-License-Identifier: MIT

#include "http/web/into_response.h"

#include "http/message/percent.h"

namespace volt::http {

std::string member_location(const Request& request, std::string_view id) {
  std::string location(request.path());
  if (!location.ends_with('/')) location += '/';
  const auto text = from_json<std::string>(id);
  message::append_percent_encoded(text ? std::string_view(*text) : id, location);
  return location;
}

}  // namespace volt::http
