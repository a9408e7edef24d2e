// SPDX-License-Identifier: MIT

#include <array>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "http/middleware/client_address.h"
#include "http/middleware/observe.h"
#include "http/web/exchange.h"
#include "http/web/upgrade.h"
#include "runtime/cancel.h"
#include "runtime/log_line.h"
#include "runtime/logger.h"

namespace volt::http {
namespace {

constexpr Logger kAccessLog("access");

using Clock = std::chrono::steady_clock;

// Limits on the parts of a line. Their sum, with the fixed text, is less than LogLine::kBytesMax.
constexpr std::size_t kPathBytesMax = 1536;
constexpr std::size_t kPatternBytesMax = 512;
constexpr std::size_t kIdBytesMax = 256;
constexpr std::size_t kFieldBytesMax = 512;  // limit on each of User-Agent and Referer

// The texts of a request that its line contains.
struct RequestTexts {
  std::string_view method;
  std::string_view target;
  std::string_view path;
  std::string_view version;
  std::string_view pattern;
  std::string_view referer;
  std::string_view user_agent;
  std::string_view client;
  std::string_view id;
  std::string_view trace_id;
  std::string_view span_id;
};

// The texts of a request, and the storage of those that the request does not have as text.
class TextsOfRequest {
 public:
  explicit TextsOfRequest(const Request& request) : client_(ClientAddress::from(request).text()) {
    texts_ = {.method = to_string(request.method()),
              .target = request.target(),
              .path = request.path(),
              .version = request.version() == Version::http_1_1 ? "HTTP/1.1" : "HTTP/1.0",
              .pattern = request.pattern(),
              .referer = request.header("referer").value_or("-"),
              .user_agent = request.header("user-agent").value_or("-"),
              .client = client_,
              .id = request.id()};
    if (const TraceContext* trace = request.find<TraceContext>()) {
      trace_id_ = trace->parent.trace_id_text();
      span_id_ = trace->parent.span_id_text();
      texts_.trace_id = trace_id_;
      texts_.span_id = span_id_;
    }
  }
  TextsOfRequest(const TextsOfRequest&) = delete;
  TextsOfRequest& operator=(const TextsOfRequest&) = delete;

  [[nodiscard]] const RequestTexts& texts() const noexcept { return texts_; }

 private:
  std::string client_;
  std::string trace_id_;
  std::string span_id_;
  RequestTexts texts_;
};

// Copies of the texts of a request that is destroyed before its line is written.
class KeptTexts {
 public:
  explicit KeptTexts(const RequestTexts& from) {
    std::size_t size = 0;
    for (const auto member : kMembers) size += (from.*member).size();
    copy_.reserve(size);
    for (const auto member : kMembers) {
      const std::size_t begin = copy_.size();
      copy_ += from.*member;
      texts_.*member = std::string_view(copy_).substr(begin);
    }
  }
  KeptTexts(const KeptTexts&) = delete;
  KeptTexts& operator=(const KeptTexts&) = delete;

  [[nodiscard]] const RequestTexts& texts() const noexcept { return texts_; }

 private:
  using T = RequestTexts;
  static constexpr std::string_view T::* kMembers[] = {&T::method,  &T::target,   &T::path,       &T::version,
                                                       &T::pattern, &T::referer,  &T::user_agent, &T::client,
                                                       &T::id,      &T::trace_id, &T::span_id};

  std::string copy_;
  RequestTexts texts_;
};

// How the exchange has ended.
struct LoggedEnd {
  ExchangeEnd exchange;
  Clock::duration duration{};
  std::optional<MessageCounts> messages = std::nullopt;  // of a protocol that the connection has switched to
};

std::uint64_t microseconds(Clock::duration duration) noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

// The fields of an entry. Its texts must outlive it.
class LogEntry {
 public:
  LogEntry(const RequestTexts& request, const LoggedEnd& end) noexcept {
    add("method", request.method);
    add("path", request.path);
    add("pattern", request.pattern);
    const std::optional<Status>& status = end.exchange.status;
    add("status", status ? LogValue(code(*status)) : LogValue(nullptr));
    add("bytes", status ? LogValue(end.exchange.body_bytes) : LogValue(nullptr));
    add("outcome", to_string(end.exchange.outcome));
    add("duration_ms", end.duration);
    if (!end.messages) {
      add("queue_ms", end.exchange.queued);
      if (end.exchange.receiving.count() != 0) add("receive_ms", end.exchange.receiving);
      add("handler_ms", end.exchange.handling);
      add("send_ms", end.exchange.sending);
    }
    if (end.messages) {
      add("messages_received", end.messages->received);
      add("messages_sent", end.messages->sent);
      add("close_code", end.messages->close_code);
    }
    add("client", request.client);
    if (!request.id.empty()) add("request_id", request.id);
    if (!request.trace_id.empty()) {
      add("trace_id", request.trace_id);
      add("span_id", request.span_id);
    }
  }

  [[nodiscard]] std::span<const LogField> fields() const noexcept { return std::span(fields_).first(count_); }

 private:
  void add(std::string_view name, LogValue value) noexcept { fields_[count_++] = {name, value}; }

  std::array<LogField, 17> fields_;
  std::size_t count_ = 0;
};

void add_combined(LogLine& line, const RequestTexts& request, const LoggedEnd& end) noexcept {
  using namespace std::chrono;
  line.add(request.client.empty() ? "-" : request.client).add(" - - [");
  line.add_common_log_time(floor<seconds>(system_clock::now())).add("] \"");
  line.add(request.method).add(" ").add_escaped(request.target, kPathBytesMax);
  line.add(" ").add(request.version).add("\" ");
  if (const std::optional<Status>& status = end.exchange.status) {
    line.add(std::uint64_t{code(*status)}).add(" ").add(end.exchange.body_bytes);
  } else {
    line.add("- -");
  }
  line.add(" \"").add_escaped(request.referer, kFieldBytesMax).add("\"");
  line.add(" \"").add_escaped(request.user_agent, kFieldBytesMax).add("\"");
  line.add(" ").add_decimal(microseconds(end.duration) / 1000);
  line.add(" \"").add_escaped(request.pattern, kPatternBytesMax);
  line.add("\" \"").add_escaped(request.id, kIdBytesMax).add("\" ");
  line.add(to_string(end.exchange.outcome)).add("\n");
}

void call_sink(const AccessLogOptions& options, const LogLine& line) noexcept {
  try {
    options.sink(line.view());
  } catch (...) {  // decided: the line is lost, and the request is not
  }
}

void write(const AccessLogOptions& options, const RequestTexts& request, const LoggedEnd& end) {
  constexpr std::string_view kMessage = "request";
  if (!options.sink && !kAccessLog.takes(LogLevel::info)) return;
  LogLine line;
  if (options.format == AccessLogFormat::combined) {
    add_combined(line, request, end);
    return options.sink ? call_sink(options, line) : log_line(line.view());
  }
  const LogEntry entry(request, end);
  if (!options.sink) return kAccessLog(LogLevel::info, kMessage, entry.fields());
  const auto time = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  compose({time, LogLevel::info, kMessage, entry.fields()}, LogFormat::json, line);
  call_sink(options, line);
}

// Runs another protocol and writes the line of its request when the protocol has ended.
class LoggedUpgrade final : public Upgrade {
 public:
  LoggedUpgrade(std::unique_ptr<Upgrade> upgrade, const AccessLogOptions& options, const RequestTexts& request,
                Clock::time_point start)
      : upgrade_(std::move(upgrade)), options_(options), request_(request), start_(start) {}

  [[nodiscard]] std::string_view protocol() const noexcept override { return upgrade_->protocol(); }
  [[nodiscard]] std::optional<MessageCounts> messages() const noexcept override { return upgrade_->messages(); }
  [[nodiscard]] Task<> run(UpgradedStream& stream) override {
    try {
      co_await upgrade_->run(stream);
    } catch (const Cancelled&) {
      write_line(ExchangeOutcome::cancelled);
      throw;
    } catch (...) {  // decided: the server logs it
      write_line(ExchangeOutcome::failed);
      throw;
    }
    const auto messages = upgrade_->messages();
    const bool disconnected = messages && messages->close_code == MessageCounts::kDisconnected;
    write_line(disconnected ? ExchangeOutcome::disconnected : ExchangeOutcome::complete);
  }

 private:
  void write_line(ExchangeOutcome outcome) const {
    write(options_, request_.texts(),
          {.exchange = {.outcome = outcome, .status = Status::switching_protocols},
           .duration = Clock::now() - start_,
           .messages = upgrade_->messages()});
  }

  const std::unique_ptr<Upgrade> upgrade_;
  const AccessLogOptions& options_;
  const KeptTexts request_;
  const Clock::time_point start_;
};

class LogAccess {
 public:
  explicit LogAccess(AccessLogOptions options) : options_(std::move(options)) {}

  Task<Response> operator()(Request& request, Next next) {
    const Clock::time_point start = Clock::now();
    request.after_response([this, &request](const ExchangeEnd& end) noexcept {
      if (end.outcome == ExchangeOutcome::upgraded) return;  // LoggedUpgrade writes the line
      try {
        write(options_, TextsOfRequest(request).texts(), {.exchange = end, .duration = end.duration()});
      } catch (const std::bad_alloc&) {  // decided: without memory the line is left out
      }
    });
    Response response = co_await next(request);
    if (response.upgrade() != nullptr) {
      const TextsOfRequest texts(request);
      response.replace_upgrade(
          std::make_unique<LoggedUpgrade>(response.take_upgrade(), options_, texts.texts(), start));
    }
    co_return response;
  }

 private:
  AccessLogOptions options_;
};

}  // namespace

Middleware access_log(AccessLogOptions options) { return Middleware(LogAccess(std::move(options))); }

}  // namespace volt::http
