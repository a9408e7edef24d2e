// SPDX-License-Identifier: MIT

#include "http/tracing/internal/exporter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "crypto/random.h"
#include "http/json/json.h"
#include "http/message/retry_after.h"
#include "http/tracing/internal/otlp_json.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/log.h"
#include "runtime/time.h"
#include "runtime/wall_clock.h"

namespace volt::http::otlp {
namespace {

constexpr std::size_t kResponseBytesMax = 64 * 1024;
// The connection to the collector is kept between two batches, and is there when the server stops.
constexpr std::chrono::minutes kIdleTimeout{5};

ClientOptions client_options(const OtlpOptions& options) {
  return {.connect_timeout = options.timeout,
          .response_timeout = options.timeout,
          .transfer_timeout = options.timeout,
          .whole_timeout = options.timeout,
          .idle_per_origin_max = 1,
          .idle_timeout = kIdleTimeout,
          .body_bytes_max = kResponseBytesMax,
          .tls = options.tls};
}

void check(const OtlpOptions& options) {
  const bool is_secure = options.endpoint.starts_with("https://");
  if (!is_secure && !options.endpoint.starts_with("http://")) {
    throw std::invalid_argument("the endpoint for traces must begin with http:// or https://: " + options.endpoint);
  }
  if (is_secure && options.tls == nullptr) {
    throw std::invalid_argument("an https endpoint for traces needs OtlpOptions::tls");
  }
  if (options.batch_max == 0 || options.attempts_max == 0 || options.backoff_min <= std::chrono::nanoseconds(0)) {
    throw std::invalid_argument("batch_max, attempts_max and backoff_min of OtlpOptions must not be 0");
  }
}

bool is_temporary(Status status) noexcept {
  return status == Status::too_many_requests || status == Status::bad_gateway ||
         status == Status::service_unavailable || status == Status::gateway_timeout;
}

// A random part of the pause keeps many processes from sending at the same moment after a collector has failed.
std::chrono::nanoseconds with_jitter(std::chrono::nanoseconds pause) noexcept {
  std::uint16_t drawn = 0;
  crypto::fill_random(std::as_writable_bytes(std::span(&drawn, 1)));
  return pause / 2 + pause / 2 * drawn / 0xffff;
}

struct PartialSuccess {
  std::variant<std::monostate, std::string, std::uint64_t> rejectedSpans = {};
};
struct ExportResponse {
  std::optional<PartialSuccess> partialSuccess;
};

}  // namespace

std::uint64_t rejected_spans(std::string_view body) {
  const auto response = from_json<ExportResponse>(body);
  if (!response || !response->partialSuccess) return 0;
  const auto& rejected = response->partialSuccess->rejectedSpans;
  if (const auto* number = std::get_if<std::uint64_t>(&rejected)) return *number;
  std::uint64_t number = 0;
  if (const auto* text = std::get_if<std::string>(&rejected)) {
    std::from_chars(text->data(), text->data() + text->size(), number);
  }
  return number;
}

Exporter::Exporter(std::shared_ptr<tracing::Tracer> tracer, OtlpOptions options)
    : tracer_(std::move(tracer)), options_((check(options), std::move(options))), client_(client_options(options_)) {
  if (tracer_ == nullptr) throw std::invalid_argument("export_traces() needs a tracer");
  static_cast<void>(request());  // checks the header fields
}

Task<> Exporter::run() {
  try {
    co_await export_batches();
  } catch (const Cancelled&) {  // decided: the server stops
  }
  co_await shield([this] { return flush(); });
}

Task<> Exporter::export_batches() {
  for (;;) {
    co_await tracer_->wait_for(options_.batch_max, options_.delay);
    try {
      co_await send_all();
    } catch (const std::exception& failure) {  // such as bad_alloc; decided: this batch is lost, the exporter goes on
      drop_request(failure.what());
    }
  }
}

// Sends all spans that wait.
Task<> Exporter::send_all() {
  for (;;) {
    if (body_.empty()) compose();
    if (body_.empty()) co_return;
    co_await send_request();
  }
}

Task<> Exporter::send_request() {
  for (std::uint32_t attempts = 1;; ++attempts) {
    const Attempt made = co_await attempt();
    if (made.result != Attempt::Result::later) {
      end_request(made);
      co_return;
    }
    if (attempts == options_.attempts_max) {
      drop_request(made.error);
      co_return;
    }
    log_failure(made.error);
    co_await sleep_for(pause(made, attempts));
  }
}

Task<Attempt> Exporter::attempt() {
  ClientRequest sent = request();
  sent.body(body_, "application/json");
  Result<ClientResponse> response = co_await client_.send(std::move(sent));
  if (!response) co_return Attempt{.error = response.error().message()};
  const Status status = response->status();
  Attempt made;
  if (const auto field = response->header("retry-after")) {
    made.retry_after = message::parse_retry_after(*field, wall_second());
  }
  const Result<std::string> text = co_await response->text(kResponseBytesMax);
  const bool is_accepted = code(status) >= 200 && code(status) < 300;
  made.result = is_accepted            ? Attempt::Result::accepted
                : is_temporary(status) ? Attempt::Result::later
                                       : Attempt::Result::refused;
  if (!is_accepted) made.error = "the collector responds with the status " + std::to_string(code(status));
  if (is_accepted && text) made.rejected = rejected_spans(*text);
  co_return made;
}

// Sends what is left, within the limit of OtlpOptions.
Task<> Exporter::flush() {
  static_cast<void>(co_await race([this] { return send_rest(); },
                                  [this]() -> Task<> {
                                    co_await sleep_for(options_.shutdown_timeout);
                                    flush_over_.store(true, base::relaxed);  // relaxed: a flag
                                  }));
  std::uint64_t lost = body_spans_ + taken_.size() - next_;
  for (auto left = tracer_->take(options_.batch_max); !left.empty(); left = tracer_->take(options_.batch_max)) {
    lost += left.size();
  }
  if (lost == 0) co_return;
  tracer_->count_dropped(lost);
  log(LogLevel::warning, "traces are lost: the collector has not accepted them before the server stopped",
      {{"spans", lost}, {"endpoint", options_.endpoint}});
}

// A runtime that stops cancels the tasks with which the client opens a connection, again and again. So a request that
// this ends is made once more.
Task<> Exporter::send_rest() {
  for (;;) {
    try {
      co_await send_all();
      co_return;
    } catch (const Cancelled&) {
      if (flush_over_.load(base::relaxed)) throw;  // relaxed: a flag
    }
  }
}

ClientRequest Exporter::request() const {
  ClientRequest made(Method::post, options_.endpoint);
  for (const auto& [name, value] : options_.headers) made.header(name, value);
  return made;
}

// Composes the next request, if spans wait.
void Exporter::compose() {
  if (next_ == taken_.size()) {
    taken_ = tracer_->take(options_.batch_max);
    next_ = 0;
  }
  if (taken_.empty()) return;
  OtlpJson json(tracer_->options());
  const std::size_t first = next_;
  while (next_ != taken_.size() && json.size_bytes() < options_.body_bytes_max) json.add(taken_[next_++]);
  body_spans_ = next_ - first;
  body_ = std::move(json).take();
}

void Exporter::end_request(const Attempt& attempt) {
  if (attempt.result == Attempt::Result::refused) {
    drop_request(attempt.error);
    return;
  }
  const std::uint64_t rejected = std::min<std::uint64_t>(attempt.rejected, body_spans_);
  tracer_->count_exported(body_spans_ - rejected);
  if (rejected != 0) tracer_->count_dropped(rejected);
  body_.clear();
  body_spans_ = 0;
  if (std::exchange(failing_, false)) {
    log(LogLevel::info, "traces are exported again", {{"endpoint", options_.endpoint}});
  }
}

void Exporter::drop_request(const std::string& why) {
  log_failure(why);
  tracer_->count_dropped(body_spans_);
  body_.clear();
  body_spans_ = 0;
}

void Exporter::log_failure(const std::string& why) {
  if (std::exchange(failing_, true)) return;
  log(LogLevel::warning, "traces cannot be exported", {{"endpoint", options_.endpoint}, {"error", why}});
}

std::chrono::nanoseconds Exporter::pause(const Attempt& attempt, std::uint32_t attempts) const {
  if (attempt.retry_after != std::chrono::nanoseconds(0)) return std::min(attempt.retry_after, options_.backoff_max);
  std::chrono::nanoseconds pause = options_.backoff_min;
  for (std::uint32_t i = 1; i != attempts && pause < options_.backoff_max; ++i) pause *= 2;
  return with_jitter(std::min(pause, options_.backoff_max));
}

}  // namespace volt::http::otlp
