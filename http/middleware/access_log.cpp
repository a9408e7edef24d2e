#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

#include "http/client_address.h"
#include "http/middleware/log_line.h"
#include "http/observe.h"
#include "runtime/cancel.h"

namespace volt::http {
namespace {

using Clock = std::chrono::steady_clock;
using middleware::LogLine;

// Shares of a line. Their sum, and what is ours, is less than LogLine::kBytesMax.
constexpr std::size_t kPathBytesMax = 1536;
constexpr std::size_t kPatternBytesMax = 512;
constexpr std::size_t kIdBytesMax = 256;
constexpr std::size_t kFieldBytesMax = 512;  // of User-Agent and Referer, each

void write_to_stderr(std::string_view line) noexcept {
  pollfd writable{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&writable, 1, 0) != 1) return;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// Status and size of what was answered; neither, if nothing was.
struct Answered {
  std::optional<Status> status;
  std::optional<std::uint64_t> body_bytes;
};

Answered answered(const Request& request, const Response& response) noexcept {
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

std::optional<std::uint64_t> status_number(const Answered& answer) noexcept {
  if (!answer.status) return std::nullopt;
  return code(*answer.status);
}

void add_json(LogLine& line, const Request& request, const Answered& answer, Clock::duration duration) {
  using namespace std::chrono;
  line.add(R"({"time":")").add_rfc3339(floor<milliseconds>(system_clock::now()));
  line.add(R"(","method":")").add(to_string(request.method()));
  line.add(R"(","path":")").add_escaped(request.path(), kPathBytesMax);
  line.add(R"(","pattern":")").add_escaped(request.pattern(), kPatternBytesMax);
  line.add(R"(","status":)");
  add_or(line, status_number(answer), "null");
  line.add(R"(,"bytes":)");
  add_or(line, answer.body_bytes, "null");
  line.add(R"(,"duration_ms":)").add_decimal(microseconds(duration));
  line.add(R"(,"client":")").add(ClientAddress::from(request).text());
  if (!request.id().empty()) line.add(R"(","request_id":")").add_escaped(request.id(), kIdBytesMax);
  if (const TraceContext* trace = request.find<TraceContext>()) {
    line.add(R"(","trace_id":")").add(trace->parent.trace_id_text());
    line.add(R"(","span_id":")").add(trace->parent.span_id_text());
  }
  line.add("\"}\n");
}

void add_quoted_field(LogLine& line, const Request& request, std::string_view name) noexcept {
  line.add(" \"").add_escaped(request.header(name).value_or("-"), kFieldBytesMax).add("\"");
}

void add_combined(LogLine& line, const Request& request, const Answered& answer, Clock::duration duration) {
  using namespace std::chrono;
  const std::string client = ClientAddress::from(request).text();
  line.add(client.empty() ? "-" : std::string_view(client)).add(" - - [");
  line.add_common_log_time(floor<seconds>(system_clock::now())).add("] \"");
  line.add(to_string(request.method())).add(" ").add_escaped(request.target(), kPathBytesMax);
  line.add(request.version() == Version::http_1_1 ? " HTTP/1.1\" " : " HTTP/1.0\" ");
  add_or(line, status_number(answer), "-");
  line.add(" ");
  add_or(line, answer.body_bytes, "-");
  add_quoted_field(line, request, "referer");
  add_quoted_field(line, request, "user-agent");
  line.add(" ").add_decimal(microseconds(duration) / 1000);
  line.add(" \"").add_escaped(request.pattern(), kPatternBytesMax);
  line.add("\" \"").add_escaped(request.id(), kIdBytesMax).add("\"\n");
}

class LogAccess {
 public:
  explicit LogAccess(AccessLogOptions options) : options_(std::move(options)) {
    if (!options_.sink) options_.sink = write_to_stderr;
  }

  Task<Response> operator()(Request& request, Next next) {
    const Clock::time_point start = Clock::now();
    try {
      Response response = co_await next(request);
      log(request, answered(request, response), start);
      co_return response;
    } catch (const Cancelled&) {
      log(request, Answered(), start);
      throw;
    }
  }

 private:
  void log(const Request& request, const Answered& answer, Clock::time_point start) const {
    LogLine line;
    switch (options_.format) {
      case AccessLogFormat::json:
        add_json(line, request, answer, Clock::now() - start);
        break;
      case AccessLogFormat::combined:
        add_combined(line, request, answer, Clock::now() - start);
        break;
    }
    options_.sink(line.view());
  }

  AccessLogOptions options_;
};

}  // namespace

Middleware access_log(AccessLogOptions options) { return Middleware(LogAccess(std::move(options))); }

}  // namespace volt::http
