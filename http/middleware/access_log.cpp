// SPDX-License-Identifier: MIT

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "http/middleware/client_address.h"
#include "http/middleware/observe.h"
#include "runtime/cancel.h"
#include "runtime/log.h"
#include "runtime/log_line.h"

namespace volt::http {
namespace {

using Clock = std::chrono::steady_clock;

// Limits on the parts of a line. Their sum, with the fixed text, is less than LogLine::kBytesMax.
constexpr std::size_t kPathBytesMax = 1536;
constexpr std::size_t kPatternBytesMax = 512;
constexpr std::size_t kIdBytesMax = 256;
constexpr std::size_t kFieldBytesMax = 512;  // limit on each of User-Agent and Referer

// Status and size of the response; both empty if there was none.
struct ResponseSummary {
  std::optional<Status> status;
  std::optional<std::uint64_t> body_bytes;
};

ResponseSummary summarize(const Request& request, const Response& response) noexcept {
  const bool no_body = request.method() == Method::head || response.status() == Status::no_content ||
                       response.status() == Status::not_modified || response.upgrade() != nullptr;
  return {.status = response.status(), .body_bytes = no_body ? 0 : response.body_size()};
}

std::uint64_t microseconds(Clock::duration duration) noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

void add_or(LogLine& line, const std::optional<std::uint64_t>& number, std::string_view instead) noexcept {
  number ? line.add(*number) : line.add(instead);
}

std::optional<std::uint64_t> status_number(const ResponseSummary& summary) noexcept {
  if (!summary.status) return std::nullopt;
  return code(*summary.status);
}

LogValue value_or_null(const std::optional<std::uint64_t>& number) noexcept {
  return number ? LogValue(*number) : LogValue(nullptr);
}

// The fields of an entry, and the texts that they are views of.
class LogEntry {
 public:
  LogEntry(const Request& request, const ResponseSummary& summary, Clock::duration duration)
      : client_(ClientAddress::from(request).text()) {
    add("method", to_string(request.method()));
    add("path", request.path());
    add("pattern", request.pattern());
    add("status", value_or_null(status_number(summary)));
    add("bytes", value_or_null(summary.body_bytes));
    add("duration_ms", duration);
    add("client", client_);
    if (!request.id().empty()) add("request_id", request.id());
    if (const TraceContext* trace = request.find<TraceContext>()) {
      trace_id_ = trace->parent.trace_id_text();
      span_id_ = trace->parent.span_id_text();
      add("trace_id", trace_id_);
      add("span_id", span_id_);
    }
  }
  LogEntry(const LogEntry&) = delete;
  LogEntry& operator=(const LogEntry&) = delete;

  [[nodiscard]] std::span<const LogField> fields() const noexcept { return std::span(fields_).first(count_); }

 private:
  void add(std::string_view name, LogValue value) noexcept { fields_[count_++] = {name, value}; }

  std::string client_;
  std::string trace_id_;
  std::string span_id_;
  std::array<LogField, 10> fields_;
  std::size_t count_ = 0;
};

void add_quoted_field(LogLine& line, const Request& request, std::string_view name) noexcept {
  line.add(" \"").add_escaped(request.header(name).value_or("-"), kFieldBytesMax).add("\"");
}

void add_combined(LogLine& line, const Request& request, const ResponseSummary& summary, Clock::duration duration) {
  using namespace std::chrono;
  const std::string client = ClientAddress::from(request).text();
  line.add(client.empty() ? "-" : std::string_view(client)).add(" - - [");
  line.add_common_log_time(floor<seconds>(system_clock::now())).add("] \"");
  line.add(to_string(request.method())).add(" ").add_escaped(request.target(), kPathBytesMax);
  line.add(request.version() == Version::http_1_1 ? " HTTP/1.1\" " : " HTTP/1.0\" ");
  add_or(line, status_number(summary), "-");
  line.add(" ");
  add_or(line, summary.body_bytes, "-");
  add_quoted_field(line, request, "referer");
  add_quoted_field(line, request, "user-agent");
  line.add(" ").add_decimal(microseconds(duration) / 1000);
  line.add(" \"").add_escaped(request.pattern(), kPatternBytesMax);
  line.add("\" \"").add_escaped(request.id(), kIdBytesMax).add("\"\n");
}

class LogAccess {
 public:
  explicit LogAccess(AccessLogOptions options) : options_(std::move(options)) {}

  Task<Response> operator()(Request& request, Next next) {
    const Clock::time_point start = Clock::now();
    try {
      Response response = co_await next(request);
      log(request, summarize(request, response), start);
      co_return response;
    } catch (const Cancelled&) {
      log(request, ResponseSummary(), start);
      throw;
    }
  }

 private:
  void log(const Request& request, const ResponseSummary& summary, Clock::time_point start) const {
    const Clock::duration duration = Clock::now() - start;
    switch (options_.format) {
      case AccessLogFormat::structured:
        return log_entry(LogEntry(request, summary, duration).fields());
      case AccessLogFormat::combined: {
        LogLine line;
        add_combined(line, request, summary, duration);
        return options_.sink ? options_.sink(line.view()) : log_line(line.view());
      }
    }
  }

  void log_entry(std::span<const LogField> fields) const {
    constexpr std::string_view kMessage = "request";
    if (!options_.sink) return volt::log(LogLevel::info, kMessage, fields);
    const auto time = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    LogLine line;
    compose({time, LogLevel::info, kMessage, fields}, LogFormat::json, line);
    options_.sink(line.view());
  }

  AccessLogOptions options_;
};

}  // namespace

Middleware access_log(AccessLogOptions options) { return Middleware(LogAccess(std::move(options))); }

}  // namespace volt::http
