// What people are told of a route, beside what its signature says (http/openapi/openapi.h).
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
  std::string description;  // CommonMark
  std::string operation_id;
  std::vector<std::string> tags;  // none: those of its group
  std::vector<std::pair<Status, std::string>> responses;
  bool hidden = false;
  bool deprecated = false;
};

}  // namespace volt::http
