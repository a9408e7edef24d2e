// SPDX-License-Identifier: MIT

#include "http/ops/internal/collected_metrics.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "http/metrics/collector.h"
#include "http/server/readiness_checks.h"

namespace volt::http::ops {
namespace {

using metrics::Collector;

constexpr double kExactMax = 9007199254740992;  // 2^53: whole numbers up to here are written as such

void add_value(PrometheusText& text, const std::vector<PrometheusText::Label>& labels, double value) {
  const bool whole = value >= 0 && value <= kExactMax && std::floor(value) == value;
  whole ? text.sample(labels, static_cast<std::uint64_t>(value)) : text.sample(labels, value);
}

void add_histogram(PrometheusText& text, std::vector<PrometheusText::Label> labels, const Collector::Sample& sample) {
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i != sample.counts.size(); ++i) {
    cumulative += sample.counts[i];
    const std::string bound = i == sample.bounds.size() ? "+Inf" : number_text(sample.bounds[i]);
    labels.emplace_back("le", bound);
    text.sample(labels, cumulative, "_bucket");
    labels.pop_back();
  }
  text.sample(labels, sample.sum, "_sum");
  text.sample(labels, cumulative, "_count");
}

}  // namespace

void add_readiness(PrometheusText& text, const MonitoredServer& watched) {
  const server::ReadinessChecks& checks = watched.server_state->readiness;
  bool ready = watched.state() == Readiness::State::ready;
  for (const auto& check : checks) ready = ready && check->last_result().value_or("").empty();
  text.single("volt_ready", "gauge", "1 if /readyz responds 200, as far as its last checks say.", ready ? 1 : 0);
  if (checks.empty()) return;
  text.family("volt_ready_check", "gauge", "1 if the readiness check has passed when it ran last.");
  for (const auto& check : checks) {
    if (const auto result = check->last_result()) text.sample({{"check", check->name()}}, result->empty() ? 1 : 0);
  }
}

void add_collected(PrometheusText& text, const MetricRegistry& registry) {
  const Collector collector(registry);
  for (const auto& [name, family] : collector.families()) {
    if (text.has_family(name)) continue;  // a source of the app has used a name of Volt
    text.family(name, family.type, family.help);
    for (const auto& [label_values, sample] : family.samples) {
      const std::vector<PrometheusText::Label> labels(label_values.begin(), label_values.end());
      family.type == "histogram" ? add_histogram(text, labels, sample) : add_value(text, labels, sample.value);
    }
  }
}

}  // namespace volt::http::ops
