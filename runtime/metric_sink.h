// SPDX-License-Identifier: MIT

// MetricSink: takes the current metrics of an object, such as a connection pool, when /metrics is read.
//
//   class Cache {
//    public:
//     void report_metrics(MetricSink& sink) const {
//       sink.gauge("cache_entries", "Entries in the cache.", {}, static_cast<double>(size()));
//       sink.counter("cache_misses_total", "Look-ups that found no entry.", {{"cache", name_}}, misses());
//     }
//   };
//
// An object with such a member function reports on /metrics if the app owns it as state, or if it was passed to
// MetricRegistry::add() (http/metrics/metrics.h). pg::Pool and http::HttpClient have one.
//
// A name must match [a-zA-Z_:][a-zA-Z0-9_:]*, and a label's name [a-zA-Z_][a-zA-Z0-9_]*. The name of a counter must end
// in _total. What breaks these rules is left out and logged once. Values with equal names and labels, from two objects,
// are added up.
//
// Threads: report_metrics() is called on any thread, also on two threads at once. Lifetime: the arguments need be valid
// only during the call.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace volt {

struct MetricLabel {
  std::string_view name;
  std::string_view value;
};

struct HistogramValue {
  std::span<const double> bounds;         // upper bounds of the buckets, ascending
  std::span<const std::uint64_t> counts;  // values in each bucket; one more element counts those above all bounds
  double sum = 0;
};

class MetricSink {
 public:
  using Labels = std::initializer_list<MetricLabel>;

  // A number that only grows, since the start of the process.
  void counter(std::string_view name, std::string_view help, Labels labels, std::uint64_t value) {
    take({.name = name, .help = help, .type = "counter"}, labels, static_cast<double>(value));
  }
  // A number that grows and shrinks.
  void gauge(std::string_view name, std::string_view help, Labels labels, double value) {
    take({.name = name, .help = help, .type = "gauge"}, labels, value);
  }
  void histogram(std::string_view name, std::string_view help, Labels labels, const HistogramValue& value) {
    take({.name = name, .help = help, .type = "histogram"}, labels, value);
  }

  struct Family {
    std::string_view name;
    std::string_view help;
    std::string_view type;
  };
  virtual void take(const Family& family, std::span<const MetricLabel> labels, double value) = 0;
  virtual void take(const Family& family, std::span<const MetricLabel> labels, const HistogramValue& value) = 0;

 protected:
  MetricSink() = default;
  ~MetricSink() = default;
};

}  // namespace volt
