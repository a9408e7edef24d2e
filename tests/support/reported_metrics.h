// SPDX-License-Identifier: MIT

// ReportedMetrics: the counters and gauges that an object reports, by name and label values without the first label:
// at("volt_http_client_errors_total connect").
#pragma once

#include <map>
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
    std::string key(family.name);
    for (const MetricLabel& label : labels.subspan(1)) key.append(" ").append(label.value);
    values_[key] = value;
  }
  void take(const Family&, std::span<const MetricLabel>, const HistogramValue&) override {}

  [[nodiscard]] double at(const std::string& key) const { return values_.at(key); }

 private:
  std::map<std::string, double> values_;
};

}  // namespace volt::test
