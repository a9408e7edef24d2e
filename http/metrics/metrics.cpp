// SPDX-License-Identifier: MIT

#include "http/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "http/metrics/internal/family.h"
#include "http/metrics/names.h"

namespace volt::http {
namespace metrics {
namespace {

constexpr std::size_t kBoundsMax = 200;
constexpr std::size_t kSeriesLimit = 100'000;  // the storage of a worker has 8 bytes for every 16 series

std::string origin_of(const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file).append(":").append(std::to_string(where.line()));
}

std::vector<double> default_bounds() {
  std::vector<double> bounds;
  for (double scale = 1e5; scale >= 1; scale /= 10) {
    for (const double step : {1.0, 2.5, 5.0}) bounds.push_back(step / scale);
  }
  for (const double bound : {10.0, 25.0, 50.0, 60.0}) bounds.push_back(bound);
  return bounds;
}

// Returns what is wrong with the definition; empty if nothing is.
std::string mistake_in(const Definition& definition) {
  if (!valid_metric_name(definition.name)) return "a name must match [a-zA-Z_:][a-zA-Z0-9_:]*";
  for (const std::string_view prefix : {"volt_", "http_server_", "process_"}) {
    if (definition.name.starts_with(prefix)) return "names that begin with " + std::string(prefix) + " belong to Volt";
  }
  if (std::string why = mistake_in_name(definition.name, definition.type); !why.empty()) return why;
  if (definition.help.empty()) return "the help text is empty: say what the metric counts, and in which unit";
  for (auto label = definition.labels.begin(); label != definition.labels.end(); ++label) {
    if (!valid_label_name(*label))
      return "label '" + *label + "': a name must match [a-zA-Z_][a-zA-Z0-9_]*, without __";
    if (definition.type == "histogram" && *label == "le") return "label 'le' belongs to the buckets of a histogram";
    if (std::find(definition.labels.begin(), label, *label) != label) return "label '" + *label + "' occurs twice";
  }
  if (definition.bounds.size() > kBoundsMax) return "more than " + std::to_string(kBoundsMax) + " buckets";
  if (!std::ranges::all_of(definition.bounds, [](double bound) { return std::isfinite(bound); })) {
    return "the bounds of the buckets must be finite: a bucket for all higher values is added";
  }
  if (std::ranges::adjacent_find(definition.bounds, std::greater_equal()) != definition.bounds.end()) {
    return "the bounds of the buckets must ascend";
  }
  if (definition.series_max == 0 || definition.series_max > kSeriesLimit) {
    return "series_max must be from 1 to " + std::to_string(kSeriesLimit);
  }
  return {};
}

}  // namespace

Handle::Handle(const Handle& other) noexcept
    : family_(other.family_), series_(other.series_), owner_(other.family_->shared_from_this()) {}

Handle& Handle::operator=(const Handle& other) noexcept {
  std::shared_ptr<Family> owner = other.family_->shared_from_this();
  family_ = other.family_;
  series_ = other.series_;
  owner_.swap(owner);
  return *this;
}

}  // namespace metrics

using metrics::Family;

template <>
const Counter& metrics::series_of(Family& family, std::span<const std::string_view> values) noexcept {
  return family.metric<Counter>(values);
}
template <>
const Gauge& metrics::series_of(Family& family, std::span<const std::string_view> values) noexcept {
  return family.metric<Gauge>(values);
}
template <>
const Histogram& metrics::series_of(Family& family, std::span<const std::string_view> values) noexcept {
  return family.metric<Histogram>(values);
}

void Counter::add(std::uint64_t by) const noexcept { family().add(series(), by); }
void Gauge::set(double value) const noexcept { family().set(series(), value); }
void Gauge::add(double by) const noexcept { family().add_to_gauge(series(), by); }
void Histogram::record(double value) const noexcept { family().record(series(), value); }

MetricRegistry::~MetricRegistry() = default;

Counter MetricRegistry::counter(std::string_view name, std::string_view help, Where where) {
  return metrics::series_of<Counter>(*labeled("counter", name, help, {}, {.series_max = 1}, where), {});
}

Gauge MetricRegistry::gauge(std::string_view name, std::string_view help, Where where) {
  return metrics::series_of<Gauge>(*labeled("gauge", name, help, {}, {.series_max = 1}, where), {});
}

Histogram MetricRegistry::histogram(std::string_view name, std::string_view help, HistogramOptions options,
                                    Where where) {
  options.series_max = 1;
  return metrics::series_of<Histogram>(*labeled("histogram", name, help, {}, std::move(options), where), {});
}

std::shared_ptr<Family> MetricRegistry::labeled(std::string_view type, std::string_view name, std::string_view help,
                                                std::span<const Label> labels, HistogramOptions options,
                                                const Where& where) {
  metrics::Definition definition{.name = std::string(name),
                                 .help = std::string(help),
                                 .type = std::string(type),
                                 .labels = {labels.begin(), labels.end()},
                                 .bounds = std::move(options.bounds),
                                 .series_max = options.series_max,
                                 .origin = metrics::origin_of(where)};
  if (type == "histogram" && definition.bounds.empty()) definition.bounds = metrics::default_bounds();
  std::string mistake = metrics::mistake_in(definition);
  const std::scoped_lock lock(mutex_);
  for (const auto& family : families_) {
    const metrics::Definition& other = family->definition();
    if (mistake.empty() && other.name == name) mistake = "it is registered already (" + other.origin + ")";
  }
  if (mistake.empty()) return families_.emplace_back(std::make_shared<Family>(std::move(definition)));
  mistake = "metric '" + definition.name + "' (" + definition.origin + "): " + mistake;
  if (set_up_) throw std::invalid_argument(mistake);
  if (first_mistake_.empty()) first_mistake_ = std::move(mistake);
  definition.series_max = 1;
  definition.bounds.clear();
  return std::make_shared<Family>(std::move(definition));  // not listed: the server refuses the app
}

void MetricRegistry::add(std::function<void(MetricSink&)> source) {
  auto shared = std::make_shared<const Source>(std::move(source));
  const std::scoped_lock lock(mutex_);
  sources_.push_back(std::move(shared));
}

std::string MetricRegistry::end_setup() {
  const std::scoped_lock lock(mutex_);
  set_up_ = true;
  return first_mistake_;
}

void MetricRegistry::report(MetricSink& sink) const {
  std::vector<std::shared_ptr<Family>> families;
  std::vector<std::shared_ptr<const Source>> sources;
  {
    const std::scoped_lock lock(mutex_);
    families = families_;
    sources = sources_;
  }
  for (const auto& family : families) family->report(sink);
  for (const auto& source : sources) (*source)(sink);
}

bool MetricRegistry::first_refusal() const noexcept {
  const std::scoped_lock lock(mutex_);
  return !std::exchange(has_refused_, true);
}

}  // namespace volt::http
