// SPDX-License-Identifier: MIT

#include <algorithm>
#include <utility>

#include "http/message/ascii.h"
#include "http/message/media_type_value.h"
#include "http/middleware/internal/safe_method.h"
#include "http/middleware/session.h"
#include "http/web/problem.h"
#include "http/web/query_fields.h"
#include "http/websocket/protocol/origin.h"

namespace volt::http {
namespace {

enum class Verdict : std::uint8_t { ours, foreign, unknown };

// Returns the scheme by which browsers address this server. Another site cannot make a browser send X-Forwarded-Proto,
// so this field is trusted whichever peer sent it. Each further proxy appends its own value, so the first value is the
// one that counts.
std::string_view scheme_of(const Request& request) noexcept {
  if (request.secure()) return "https";
  std::string_view forwarded = request.header("x-forwarded-proto").value_or("http");
  return message::take_list_element(forwarded);
}

bool is_own_origin(const Request& request, std::string_view origin) noexcept {
  const std::string_view scheme = scheme_of(request);
  return message::equal_ignoring_case(origin.substr(0, origin.find(':')), scheme) &&
         websocket::origin_allowed(origin, request.host(), {});
}

Verdict judge_origin(const Request& request, const CsrfOptions& options) noexcept {
  const auto origin = request.header("origin");
  const auto is_origin = [&](const std::string& one) { return message::equal_ignoring_case(one, *origin); };
  if (origin && std::ranges::any_of(options.trusted_origins, is_origin)) return Verdict::ours;
  if (const auto site = request.header("sec-fetch-site")) {
    return *site == "same-origin" || *site == "none" ? Verdict::ours : Verdict::foreign;
  }
  if (!origin) return Verdict::unknown;
  return is_own_origin(request, *origin) ? Verdict::ours : Verdict::foreign;
}

bool is_form(const Request& request) {
  const auto field = request.header("content-type");
  const auto type = field ? message::MediaTypeValue::parse(*field) : std::nullopt;
  return type && type->is("application/x-www-form-urlencoded");
}

bool form_has_token(std::string_view body, std::string_view name, const Session& session) {
  const auto fields = web::parse_query_fields(body);
  return fields && std::ranges::any_of(*fields, [&](const web::QueryField& field) {
           return field.name == name && session.is_csrf_token(field.value);
         });
}

Task<bool> has_token(Request& request, const CsrfOptions& options) {
  const Session* session = request.find<Session>();
  if (session == nullptr) co_return false;
  if (const auto token = request.header(options.header)) co_return session->is_csrf_token(*token);
  if (!is_form(request)) co_return false;
  const std::string_view body = co_await request.read_body();
  co_return form_has_token(body, options.field, *session);
}

Task<Response> check_csrf(Request& request, Next next, const CsrfOptions& options) {
  if (!middleware::is_safe(request.method())) {
    Verdict verdict = judge_origin(request, options);
    if (verdict == Verdict::unknown) {
      verdict = co_await has_token(request, options) ? Verdict::ours : Verdict::foreign;
    }
    if (verdict == Verdict::foreign) throw forbidden("cross-site request: wrong origin, or no valid CSRF token");
  }
  co_return co_await next(request);
}

}  // namespace

Middleware csrf(CsrfOptions options) {
  Middleware middleware(
      [options = std::move(options)](Request& request, Next next) { return check_csrf(request, next, options); });
  return std::move(middleware.refuses(Status::forbidden));
}

}  // namespace volt::http
