// SPDX-License-Identifier: MIT

#include "config/development/build_errors.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "http/html/template.h"
#include "http/message/media_type_value.h"
#include "http/message/quality_list.h"
#include "runtime/file.h"

namespace volt::config {
namespace {

using http::Next;
using http::Request;
using http::Response;
using http::Status;

constexpr std::string_view kShownField = "Volt-Build-Errors";

struct OutputLine {
  std::string text;
  bool is_error = false;
  static constexpr http::Template html = "{{if is_error}}<b>{{text}}</b>{{else}}{{text}}{{end}}\n";
};

struct BuildErrorsPage {
  std::string title;
  std::string version;  // names the errors
  std::vector<OutputLine> lines;
  bool is_cut = false;  // the file has more
  static constexpr http::Template html =
#include <config/development/internal/build_errors.html.inc>
      ;
};

struct Errors {
  std::string text;  // empty: the last build has no errors
  bool is_cut = false;
};

bool accepts_page(const Request& request) {
  const http::message::QualityList accepted(request.headers().all("accept"));
  return std::ranges::any_of(accepted, [](const http::message::Weighted& element) {
    const auto type = http::message::MediaTypeValue::parse(element.value);
    return element.q > 0 && type && type->is("text/html");
  });
}

std::string version_of(const Errors& errors) { return std::to_string(std::hash<std::string>()(errors.text)); }

std::vector<OutputLine> lines_of(std::string_view text) {
  std::vector<OutputLine> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    lines.push_back({std::string(line), line.contains("error:") || line.starts_with("CMake Error")});
  }
  return lines;
}

Response page_of(const Errors& errors) {
  BuildErrorsPage view{.title = "The last change has errors",
                       .version = version_of(errors),
                       .lines = lines_of(errors.text),
                       .is_cut = errors.is_cut};
  const auto first = std::ranges::find(view.lines, true, &OutputLine::is_error);
  if (first != view.lines.end()) view.title = first->text;
  return http::page(view, Status::internal_server_error)
      .header("Cache-Control", "no-store")
      .header("Content-Security-Policy",
              "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
              "frame-ancestors 'self'");
}

class BuildErrors {
 public:
  explicit BuildErrors(std::string file) : file_(std::move(file)) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::optional<std::string_view> shown = request.header(kShownField);
    if (!shown && !accepts_page(request)) co_return co_await next(request);
    const Errors errors = co_await read();
    // The script of a page: has anything changed? No handler runs for its requests.
    if (shown) {
      const bool same = !errors.text.empty() && *shown == version_of(errors);
      co_return same ? Response::no_content() : Response::text("changed\n");
    }
    if (errors.text.empty()) co_return co_await next(request);
    co_return page_of(errors);
  }

 private:
  [[nodiscard]] Task<Errors> read() const {
    std::string path = file_;
    Result<File> file = co_await File::open(std::move(path));
    if (!file) co_return unreadable(file.error());
    std::string text(kBuildErrorsBytesMax + 1, '\0');
    const auto into = std::as_writable_bytes(std::span(text));
    const Result<std::size_t> size = co_await file->read_all_at(0, into);
    if (!size) co_return unreadable(size.error());
    text.resize(std::min(*size, kBuildErrorsBytesMax));
    co_return Errors{.text = std::move(text), .is_cut = *size > kBuildErrorsBytesMax};
  }
  [[nodiscard]] Errors unreadable(std::error_code why) const {
    if (why == std::errc::no_such_file_or_directory) return {};
    return {.text = "cannot read development.build_errors, " + file_ + ": " + why.message()};
  }

  std::string file_;
};

}  // namespace

http::Middleware show_build_errors(std::string file) { return http::Middleware(BuildErrors(std::move(file))); }

}  // namespace volt::config
