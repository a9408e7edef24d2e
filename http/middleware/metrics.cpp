#include "http/metrics.h"

#include <charconv>
#include <numeric>
#include <utility>

#include "http/middleware/metrics_registry.h"
#include "runtime/cancel.h"

namespace volt::http {
namespace {

using Clock = std::chrono::steady_clock;

void append_number(std::string& out, auto number) {
  char digits[32];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

void append_labels(std::string& out, const DurationSeries& series) {
  out.append("{http_request_method=\"").append(to_string(series.method)).append("\",http_route=\"");
  for (const char c : series.pattern) {  // no control is in a pattern
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += "\",http_response_status_class=\"";
  append_number(out, series.status_class);
  out += series.status_class == 0 ? "\"" : "xx\"";
}

void append_series(std::string& out, const DurationSeries& series) {
  constexpr std::string_view kName = "http_server_request_duration_seconds";
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i != series.buckets.size(); ++i) {
    cumulative += series.buckets[i];
    out.append(kName).append("_bucket");
    append_labels(out, series);
    out += ",le=\"";
    i == kDurationBounds.size() ? out.append("+Inf") : (append_number(out, kDurationBounds[i]), out);
    out += "\"} ";
    append_number(out, cumulative);
    out += '\n';
  }
  out.append(kName).append("_sum");
  append_labels(out, series);
  out += "} ";
  append_number(out, std::chrono::duration<double>(series.sum).count());
  out.append("\n").append(kName).append("_count");
  append_labels(out, series);
  out += "} ";
  append_number(out, cumulative);
  out += '\n';
}

// A request that is under way, however it ends.
class Active {
 public:
  explicit Active(middleware::MetricsRegistry& registry) : registry_(registry) { registry_.enter(); }
  ~Active() { registry_.leave(); }
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;

 private:
  middleware::MetricsRegistry& registry_;
};

class RecordMetrics {
 public:
  explicit RecordMetrics(std::shared_ptr<middleware::MetricsRegistry> registry) : registry_(std::move(registry)) {}

  Task<Response> operator()(Request& request, Next next) {
    const Active active(*registry_);
    const Clock::time_point start = Clock::now();
    try {
      Response response = co_await next(request);
      record(request, code(response.status()) / 100, start);
      co_return response;
    } catch (const Cancelled&) {
      record(request, 0, start);
      throw;
    }
  }

 private:
  void record(const Request& request, unsigned status_class, Clock::time_point start) {
    registry_->record(request.method(), request.pattern(), status_class, Clock::now() - start);
  }

  std::shared_ptr<middleware::MetricsRegistry> registry_;
};

}  // namespace

std::uint64_t DurationSeries::count() const noexcept {
  return std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
}

Metrics::Metrics() : registry_(std::make_shared<middleware::MetricsRegistry>()) {}

MetricsSnapshot Metrics::snapshot() const { return registry_->snapshot(); }

std::string Metrics::to_prometheus() const {
  const MetricsSnapshot now = snapshot();
  std::string out =
      "# HELP http_server_active_requests Requests that are being answered.\n"
      "# TYPE http_server_active_requests gauge\n"
      "http_server_active_requests ";
  append_number(out, now.active_requests);
  out +=
      "\n# HELP http_server_request_duration_seconds Time until a request's answer was composed.\n"
      "# TYPE http_server_request_duration_seconds histogram\n";
  for (const DurationSeries& series : now.durations) append_series(out, series);
  return out;
}

Response Metrics::to_response() const {
  Response response;
  response.body(to_prometheus(), "text/plain; version=0.0.4; charset=utf-8");
  return response;
}

Middleware record_metrics(Metrics metrics) { return Middleware(RecordMetrics(std::move(metrics.registry_))); }

}  // namespace volt::http
