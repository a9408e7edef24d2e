// SPDX-License-Identifier: MIT

#include "http/middleware/internal/conditional_response.h"

#include <chrono>
#include <string>
#include <utility>

#include "http/files/preconditions.h"
#include "http/message/http_date.h"
#include "http/web/problem.h"
#include "runtime/wall_clock.h"

namespace volt::http::middleware {
namespace {

files::Verdict verdict_on(const Request& request, const Response& response) noexcept {
  const auto now = wall_second();
  files::Validators current;
  if (const auto tag = response.header("etag")) current.etag = files::parse_entity_tag(*tag);
  const auto modified = response.header("last-modified");
  if (modified) current.last_modified = message::parse_http_date(*modified, now);
  if (!current.etag && !current.last_modified) return files::Verdict::proceed;
  return files::evaluate_preconditions(request.method(), request.headers(), current, now);
}

}  // namespace

Response evaluate_conditions(const Request& request, Response response) {
  switch (verdict_on(request, response)) {
    case files::Verdict::proceed:
      break;
    case files::Verdict::not_modified:  // keeps the validators and the other fields (RFC 9110 section 15.4.5)
      response.status(Status::not_modified).replace_body(std::string());
      break;
    case files::Verdict::precondition_failed:
      return Problem(Status::precondition_failed).to_response(request.id());
  }
  return response;
}

}  // namespace volt::http::middleware
