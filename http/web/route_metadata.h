// SPDX-License-Identifier: MIT

// RouteMetadata: documentation of a route, in addition to its signature (http/openapi/openapi.h).
//
// Threads: a value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/message/status.h"

namespace volt::http {

struct RouteMetadata {
  std::string summary;
  std::string description;  // In CommonMark.
  std::string operation_id;
  std::vector<std::string> tags;  // Empty: the tag of the route's group.
  std::vector<std::pair<Status, std::string>> responses;
  bool hidden = false;
  bool deprecated = false;
};

}  // namespace volt::http
