// SPDX-License-Identifier: MIT

#include "http/middleware/access.h"

#include "http/auth/challenge.h"
#include "http/web/problem.h"
#include "http/web/redirect.h"

namespace volt::http::access {

// HTTP has no registered scheme for either (RFC 9110 section 11.6.1 requires a challenge); these names tell the client
// what was expected.
Source::Source(const ApiKeyOptions& options)
    : name_(options.name),
      in_cookie_(options.in_cookie),
      challenge_(auth::Challenge("ApiKey").parameter(in_cookie_ ? "cookie-name" : "header-name", name_).text()) {}

Source::Source(const SessionAuthOptions& options)
    : name_(options.cookie),
      in_cookie_(true),
      challenge_(auth::Challenge("Cookie").parameter("cookie-name", name_).text()),
      login_page_(options.login_page) {}

std::optional<std::string_view> Source::key(const Request& request) const noexcept {
  return in_cookie_ ? request.cookie(name_) : request.header(name_);
}

Response Source::refuse(const Request& request) const {
  if (!login_page_.empty()) return redirect(login_page_);
  Problem problem = unauthorized({});
  problem.header("WWW-Authenticate", challenge_);
  return problem.to_response(request.id());
}

void Source::declare(Middleware& middleware) const {
  if (!login_page_.empty()) return;
  middleware.requires_credentials(in_cookie_ ? Credentials::cookie : Credentials::header, name_);
}

Response forbid(const Request& request) {
  return Problem(Status::forbidden, "the user lacks the right to do this").to_response(request.id());
}

}  // namespace volt::http::access
