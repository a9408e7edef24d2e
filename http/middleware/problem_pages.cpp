// SPDX-License-Identifier: MIT

#include "http/middleware/problem_pages.h"

#include <algorithm>
#include <compare>
#include <exception>
#include <optional>
#include <stdexcept>

#include "http/json/json.h"
#include "http/message/ascii.h"
#include "http/message/media_type_value.h"
#include "http/message/quality_list.h"
#include "http/middleware/internal/vary.h"
#include "http/web/http_log.h"
#include "runtime/cancel.h"
#include "runtime/exception_text.h"

namespace volt::http {
namespace {

using message::MediaTypeValue;
using message::QualityList;

// How much a client wants a media type. Of several ranges that fit, the most precise one counts.
struct Preference {
  int q = 0;
  int precision = 0;  // 1: */*, 2: text/*, 3: text/html

  auto operator<=>(const Preference&) const = default;
};

int precision_of(const MediaTypeValue& range, const MediaTypeValue& type) noexcept {
  if (range.is(type.essence())) return 3;
  if (range.essence() == "*/*") return 1;
  const bool fits = range.subtype() == "*" && message::equal_ignoring_case(range.type(), type.type());
  return fits ? 2 : 0;
}

Preference preference_for(const QualityList& accepted, std::string_view media_type) noexcept {
  const MediaTypeValue type = MediaTypeValue::parse(media_type).value();
  Preference best;
  for (const message::Weighted& element : accepted) {
    const auto range = MediaTypeValue::parse(element.value);
    const int precision = range ? precision_of(*range, type) : 0;
    if (precision > best.precision) best = {.q = element.q, .precision = precision};
  }
  return best;
}

// The members that a problem may have (RFC 9457 section 3.1, http/web/problem.h).
struct ProblemMembers {
  std::optional<std::string> type, title, detail, request_id;
  std::optional<std::vector<ProblemDetails::Error>> errors;
};

// An error response without a body is a problem that has only its status.
bool is_problem(const Response& response) noexcept {
  if (code(response.status()) < 400 || response.stream() != nullptr) return false;
  if (response.body().empty()) return response.content_type().empty();
  return response.content_type() == "application/problem+json" && !response.header("content-encoding");
}

// Returns nullopt for a text that is not the JSON of a problem, such as that of another server.
std::optional<ProblemDetails> details_of(const Response& response, const Request& request) {
  const std::string_view json = response.body().empty() ? std::string_view("{}") : response.body();
  auto read = from_json<ProblemMembers>(json);
  if (!read) return std::nullopt;
  return ProblemDetails{.status = code(response.status()),
                        .type = std::move(read->type).value_or("about:blank"),
                        .title = std::move(read->title).value_or(std::string(reason_phrase(response.status()))),
                        .detail = std::move(read->detail).value_or(""),
                        .errors = std::move(read->errors).value_or(std::vector<ProblemDetails::Error>()),
                        .request_id = std::move(read->request_id).value_or(request.id()),
                        .path = std::string(request.path())};
}

class ProblemPages {
 public:
  explicit ProblemPages(Handler page) : page_(std::move(page)) {}

  Task<Response> operator()(Request& request, Next next) {
    Response response = co_await next(request);
    if (!is_problem(response)) co_return response;
    middleware::vary_on(response, "Accept");
    if (!prefers_html(request)) co_return response;
    std::optional<ProblemDetails> details = details_of(response, request);
    if (!details) co_return response;
    request.put(*std::move(details));
    std::optional<std::string> page = co_await render(request);
    if (page) response.body(*std::move(page), "text/html; charset=utf-8");
    co_return response;
  }

 private:
  [[nodiscard]] Task<std::optional<std::string>> render(Request& request) {
    try {
      Response page(Status::ok);
      if (Handler::Coroutine* const coroutine = page_.coroutine()) {
        page = co_await (*coroutine)(request);
      } else {
        page = (*page_.plain())(request);
      }
      if (!page.content_type().starts_with("text/html")) throw std::logic_error("the page of an error must be HTML");
      co_return std::string(page.body());
    } catch (const Cancelled&) {
      throw;
    } catch (...) {  // decided: the client gets the problem without the page
      const ExceptionText text(std::current_exception());
      kHttpLog(
          LogLevel::error, "the page of an error failed",
          {{"path", request.path()}, {"error", text.message()}, {"type", text.type()}, {"request_id", request.id()}});
    }
    co_return std::nullopt;
  }

  Handler page_;
};

}  // namespace

bool prefers_html(const Request& request) noexcept {
  const QualityList accepted(request.headers().all("accept"));
  const Preference html = preference_for(accepted, "text/html");
  const Preference json =
      std::max(preference_for(accepted, "application/json"), preference_for(accepted, "application/problem+json"));
  return html.q > 0 && html > json;
}

Middleware middleware::problem_pages_of(Handler page) { return Middleware(ProblemPages(std::move(page))); }

}  // namespace volt::http
