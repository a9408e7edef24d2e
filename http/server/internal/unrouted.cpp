// SPDX-License-Identifier: MIT

#include "http/server/internal/unrouted.h"

#include "http/route/trailing_slash.h"
#include "http/web/problem.h"

namespace volt::http::server {

Response respond_unrouted(Request& request) {
  const Unrouted& why = request.get<Unrouted>();
  if (why.redirect) {
    Response response(Status::permanent_redirect);
    response.header("Location", route::slash_redirect_location(request.path(), request.query()));
    return response;
  }
  const std::string allow = route::to_allow_field(why.allow);
  if (request.method() == Method::options && (request.path() == "*" || !allow.empty())) {
    Response response(Status::no_content);
    if (!allow.empty()) response.header("Allow", allow);
    return response;
  }
  if (allow.empty()) return not_found().to_response(request.id());
  Problem problem(Status::method_not_allowed);
  problem.header("Allow", allow);
  return problem.to_response(request.id());
}

}  // namespace volt::http::server
