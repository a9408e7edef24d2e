// SPDX-License-Identifier: MIT

// Counter, Gauge, Histogram: metrics of the program, on /metrics of the ops server (http/ops/ops.h) beside those of
// Volt.
//
//   http::App app;
//   auto orders = app.metrics().counter("orders_total", "Orders placed.", {"kind"});
//   auto open = app.metrics().gauge("carts_open", "Carts with at least one item.");
//   auto took = app.metrics().histogram("render_seconds", "Time to render a page, in seconds.");
//   app.post("/orders/books", [orders] {
//     orders.with("book").add();
//     return http::Status::created;
//   });
//
// A metric is registered once, while the app is built; handlers keep copies of it. With label names, with() takes a
// value for each label and returns the metric of these values. A copy of the result spares handlers the look-up:
//
//   const http::Counter books = orders.with("book");
//
// A metric has at most MetricOptions::series_max combinations of label values. Further combinations, and those with a
// value of more than 256 bytes, count together, with "_other" as the value of each label, and the first combination
// too many is logged. So a client that chooses a value cannot exhaust the memory. Use values from a small set
// nevertheless: a kind or a result, never an id, a path or a name.
//
// Mistakes, which the constructor of Server reports with the place of the registration, like a duplicate route: a
// malformed or duplicate name or label, an empty help text, a name of Volt (volt_, http_server_, process_), a counter
// whose name does not end in _total, and bounds that do not ascend. After that, such a registration throws
// std::invalid_argument.
//
// Threads: any, also threads outside the runtime, callables of blocking(), and tasks of another runtime.
// Lifetime: a copy of a metric may be used after the app was destroyed; it then counts in vain. The reference that
// with() returns is valid as long as a copy of the metric.
// Errors: add(), set(), record() and with() never fail. Without memory for a new combination of label values, the value
// counts as "_other".
// Cost: each worker has its own counters and histograms, which it changes without a lock and without an atomic
// read-modify-write; a read of /metrics adds them up. with() looks up its values in a hash table without a lock. All
// workers share the value of a gauge, because set() replaces it.
// Memory: 8 KiB for each metric, about 16 bytes for each combination of label values that MetricOptions::series_max
// permits, and for each combination in use and each worker that uses it 8 bytes, or 8 bytes for each bucket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/metric_sink.h"

namespace volt::http {

namespace metrics {

class Family;

// One series of a family: what a Counter, a Gauge and a Histogram have in common. A copy shares ownership of the
// family; the original in the family does not, because the family would then own itself.
class Handle {
 public:
  Handle(Family& family, std::uint32_t series) noexcept : family_(&family), series_(series) {}
  Handle(const Handle& other) noexcept;
  Handle& operator=(const Handle& other) noexcept;
  ~Handle() = default;

 protected:
  [[nodiscard]] Family& family() const noexcept { return *family_; }
  [[nodiscard]] std::uint32_t series() const noexcept { return series_; }

 private:
  Family* family_;
  std::uint32_t series_;
  std::shared_ptr<Family> owner_;
};

}  // namespace metrics

// A number that only grows.
class Counter : public metrics::Handle {
 public:
  using Handle::Handle;
  void add(std::uint64_t by = 1) const noexcept;
};

// A number that grows and shrinks.
class Gauge : public metrics::Handle {
 public:
  using Handle::Handle;
  void set(double value) const noexcept;
  void add(double by = 1) const noexcept;
  void subtract(double by = 1) const noexcept { add(-by); }
};

// The distribution of values, such as durations or sizes.
class Histogram : public metrics::Handle {
 public:
  using Handle::Handle;
  void record(double value) const noexcept;
  // Records the duration in seconds.
  void record(std::chrono::nanoseconds duration) const noexcept {
    record(std::chrono::duration<double>(duration).count());
  }
};

namespace metrics {

// Returns the series of these label values.
template <class Metric>
[[nodiscard]] const Metric& series_of(Family& family, std::span<const std::string_view> values) noexcept;
template <>
const Counter& series_of(Family& family, std::span<const std::string_view> values) noexcept;
template <>
const Gauge& series_of(Family& family, std::span<const std::string_view> values) noexcept;
template <>
const Histogram& series_of(Family& family, std::span<const std::string_view> values) noexcept;

}  // namespace metrics

// A metric with `kLabels` labels.
template <class Metric, std::size_t kLabels>
class Labeled {
 public:
  explicit Labeled(std::shared_ptr<metrics::Family> family) noexcept : family_(std::move(family)) {}

  // Returns the metric of these label values, in the order of the label names. The values are text.
  template <class... Values>
  [[nodiscard]] const Metric& with(const Values&... values) const noexcept {
    constexpr bool kComplete = sizeof...(Values) == kLabels;
    constexpr bool kTexts = (std::is_convertible_v<const Values&, std::string_view> && ...);
    static_assert(kComplete, "with() takes one value for each label of the metric, in the order of the labels");
    static_assert(kTexts, "the value of a label is text: std::string, std::string_view or a literal");
    if constexpr (kComplete && kTexts) {
      const std::string_view list[] = {values...};
      return metrics::series_of<Metric>(*family_, list);
    } else {
      std::unreachable();
    }
  }

 private:
  std::shared_ptr<metrics::Family> family_;
};

struct MetricOptions {
  std::size_t series_max = 1000;  // maximum number of combinations of label values; at least 1
};

struct HistogramOptions {
  // Upper bounds of the buckets, ascending. Empty: durations in seconds from 10 us to 60 s, at 1, 2.5 and 5 times each
  // power of ten.
  std::vector<double> bounds = {};
  std::size_t series_max = 100;
};

// The metrics of an app: App::metrics().
class MetricRegistry {
 public:
  MetricRegistry() = default;
  ~MetricRegistry();
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  using Where = std::source_location;
  using Label = const char*;

  // Register a metric without labels. Its value is on /metrics from the start.
  [[nodiscard]] Counter counter(std::string_view name, std::string_view help, Where where = Where::current());
  [[nodiscard]] Gauge gauge(std::string_view name, std::string_view help, Where where = Where::current());
  [[nodiscard]] Histogram histogram(std::string_view name, std::string_view help, HistogramOptions options = {},
                                    Where where = Where::current());

  // Register a metric with labels, such as {"kind", "result"}.
  template <std::size_t kLabels>
  [[nodiscard]] Labeled<Counter, kLabels> counter(std::string_view name, std::string_view help,
                                                  const Label (&labels)[kLabels], MetricOptions options = {},
                                                  Where where = Where::current()) {
    return Labeled<Counter, kLabels>(labeled("counter", name, help, labels, {.series_max = options.series_max}, where));
  }
  template <std::size_t kLabels>
  [[nodiscard]] Labeled<Gauge, kLabels> gauge(std::string_view name, std::string_view help,
                                              const Label (&labels)[kLabels], MetricOptions options = {},
                                              Where where = Where::current()) {
    return Labeled<Gauge, kLabels>(labeled("gauge", name, help, labels, {.series_max = options.series_max}, where));
  }
  template <std::size_t kLabels>
  [[nodiscard]] Labeled<Histogram, kLabels> histogram(std::string_view name, std::string_view help,
                                                      const Label (&labels)[kLabels], HistogramOptions options = {},
                                                      Where where = Where::current()) {
    return Labeled<Histogram, kLabels>(labeled("histogram", name, help, labels, std::move(options), where));
  }

  // Adds a function that is called whenever /metrics is read, on any thread, and that must return quickly.
  void add(std::function<void(MetricSink&)> source);
  // Adds an object that reports its metrics, such as a pool (runtime/metric_sink.h). The registry keeps a copy.
  //   app.metrics().add(pool);
  template <class T>
    requires requires(const T& object, MetricSink& sink) { object.report_metrics(sink); }
  void add(T object) {
    add([object = std::move(object)](MetricSink& sink) { object.report_metrics(sink); });
  }
  template <class T>
    requires requires(const T& object, MetricSink& sink) { object.report_metrics(sink); }
  void add(std::shared_ptr<T> object) {
    add([object = std::move(object)](MetricSink& sink) { object->report_metrics(sink); });
  }

  // For the server. Returns the first mistake, or an empty text; later mistakes throw.
  [[nodiscard]] std::string end_setup();
  // For the ops server. Reports all metrics to `sink`, without checks of what the added sources report.
  void report(MetricSink& sink) const;
  // For the ops server. Returns true once: for the first metric of a source that it leaves out.
  [[nodiscard]] bool first_refusal() const noexcept;

 private:
  using Source = std::function<void(MetricSink&)>;

  [[nodiscard]] std::shared_ptr<metrics::Family> labeled(std::string_view type, std::string_view name,
                                                         std::string_view help, std::span<const Label> labels,
                                                         HistogramOptions options, const Where& where);

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<metrics::Family>> families_;  // under mutex_
  std::vector<std::shared_ptr<const Source>> sources_;      // under mutex_
  std::string first_mistake_;                               // under mutex_
  bool set_up_ = false;                                     // under mutex_
  mutable bool has_refused_ = false;                        // under mutex_
};

}  // namespace volt::http
