// SPDX-License-Identifier: MIT

// Collector: the metrics of a registry at one moment, checked and ordered by family.
//
// Metrics with invalid names are left out, and so are those whose family has another type already; the first of them is
// logged. Bytes of label values that are not UTF-8 become U+FFFD. Values with equal names and labels are added up.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/metrics/metrics.h"
#include "runtime/metric_sink.h"

namespace volt::http::metrics {

class Collector final : public MetricSink {
 public:
  struct Sample {
    double value = 0;
    // Of a histogram; else empty.
    std::vector<double> bounds = {};
    std::vector<std::uint64_t> counts = {};
    double sum = 0;
  };
  using LabelValues = std::vector<std::pair<std::string, std::string>>;
  struct Collected {
    std::string help;
    std::string type;
    std::map<LabelValues, Sample> samples = {};
  };

  explicit Collector(const MetricRegistry& registry) : registry_(registry) { registry.report(*this); }

  // The families by name.
  [[nodiscard]] const std::map<std::string, Collected, std::less<>>& families() const noexcept { return families_; }

  void take(const Family& family, std::span<const MetricLabel> labels, double value) override;
  void take(const Family& family, std::span<const MetricLabel> labels, const HistogramValue& value) override;

 private:
  // Returns the sample of the family with these labels; null if there can be none.
  [[nodiscard]] Sample* sample(const Family& family, std::span<const MetricLabel> labels);
  void refuse(const Family& family, std::string_view why) const;

  const MetricRegistry& registry_;
  std::map<std::string, Collected, std::less<>> families_;
};

}  // namespace volt::http::metrics
