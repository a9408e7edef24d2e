// SPDX-License-Identifier: MIT

// ReportedMetrics: what an object reports, by name and label values, with and without the first label:
// at("volt_http_client_errors_total connect"), at("volt_pg_connections shop idle"). Of a histogram the number of
// values.
#pragma once

#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include "runtime/metric_sink.h"

namespace volt::test {

class ReportedMetrics final : public MetricSink {
 public:
  template <class Object>
  explicit ReportedMetrics(const Object& object) {
    object.report_metrics(*this);
  }

  void take(const Family& family, std::span<const MetricLabel> labels, double value) override {
    values_[key(family, labels)] = value;
    if (!labels.empty()) values_[key(family, labels.subspan(1))] = value;
  }
  void take(const Family& family, std::span<const MetricLabel> labels, const HistogramValue& value) override {
    take(family, labels, static_cast<double>(std::accumulate(value.counts.begin(), value.counts.end(), 0ULL)));
  }

  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  [[nodiscard]] double at(const std::string& key) const { return values_.at(key); }

 private:
  static std::string key(const Family& family, std::span<const MetricLabel> labels) {
    std::string text(family.name);
    for (const MetricLabel& label : labels) text.append(" ").append(label.value);
    return text;
  }

  std::map<std::string, double> values_;
};

}  // namespace volt::test
