// SPDX-License-Identifier: MIT

#include "http/metrics/collector.h"

#include <algorithm>
#include <functional>

#include "http/message/utf8_sequence.h"
#include "http/metrics/names.h"
#include "runtime/log.h"

namespace volt::http::metrics {
namespace {

std::string as_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const message::Utf8Sequence first = message::utf8_sequence(text);
    result += first.valid ? text.substr(0, first.size) : "\xef\xbf\xbd";
    text.remove_prefix(first.size);
  }
  return result;
}

std::string mistake_in(const MetricSink::Family& family, std::span<const MetricLabel> labels) {
  if (!valid_metric_name(family.name)) return "the name is malformed";
  if (family.help.empty()) return "the help text is empty";
  for (const MetricLabel& label : labels) {
    const bool reserved = family.type == "histogram" && label.name == "le";
    if (!valid_label_name(label.name) || reserved) return "a label's name is malformed or reserved";
    if (std::ranges::count(labels, label.name, &MetricLabel::name) != 1) return "a label occurs twice";
  }
  return mistake_in_name(family.name, family.type);
}

}  // namespace

Collector::Sample* Collector::sample(const Family& family, std::span<const MetricLabel> labels) {
  if (const std::string mistake = mistake_in(family, labels); !mistake.empty()) {
    refuse(family, mistake);
    return nullptr;
  }
  const auto [found, added] =
      families_.try_emplace(std::string(family.name), std::string(family.help), std::string(family.type));
  if (!added && found->second.type != family.type) {
    refuse(family, "another metric of this name has another type");
    return nullptr;
  }
  LabelValues values;
  for (const MetricLabel& label : labels) values.emplace_back(label.name, as_utf8(label.value));
  return &found->second.samples[std::move(values)];
}

void Collector::refuse(const Family& family, std::string_view why) const {
  if (!registry_.first_refusal()) return;
  log(LogLevel::error, "a metric is left out of /metrics, and further ones may be",
      {{"metric", family.name}, {"reason", why}});
}

void Collector::take(const Family& family, std::span<const MetricLabel> labels, double value) {
  if (Sample* const found = sample(family, labels)) found->value += value;
}

void Collector::take(const Family& family, std::span<const MetricLabel> labels, const HistogramValue& value) {
  if (value.counts.size() != value.bounds.size() + 1) {
    return refuse(family, "a histogram has one count more than bounds");
  }
  Sample* const found = sample(family, labels);
  if (found == nullptr) return;
  if (found->counts.empty()) {
    found->bounds.assign(value.bounds.begin(), value.bounds.end());
    found->counts.resize(value.counts.size());
  }
  if (!std::ranges::equal(found->bounds, value.bounds)) return refuse(family, "histograms have different bounds");
  std::ranges::transform(found->counts, value.counts, found->counts.begin(), std::plus());
  found->sum += value.sum;
}

}  // namespace volt::http::metrics
