// SPDX-License-Identifier: MIT

#include "http/metrics/metrics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/metrics/collector.h"
#include "http/server/app.h"
#include "http/server/server.h"
#include "runtime/blocking.h"
#include "runtime/runtime.h"
#include "runtime/spawn.h"
#include "tests/support/engine.h"

namespace volt::http {

using metrics::Collector;

namespace {

const Collector::Sample& sample_of(const Collector& collector, const std::string& name,
                                   const Collector::LabelValues& labels = {}) {
  const auto family = collector.families().find(name);
  if (family == collector.families().end()) throw std::runtime_error("no family " + name);
  const auto sample = family->second.samples.find(labels);
  if (sample == family->second.samples.end()) throw std::runtime_error("no such sample of " + name);
  return sample->second;
}

double value_of(const MetricRegistry& registry, const std::string& name, const Collector::LabelValues& labels = {}) {
  return sample_of(Collector(registry), name, labels).value;
}

Task<> add_often(Labeled<Counter, 1> counter, Histogram histogram, int times) {
  for (int i = 0; i != times; ++i) {
    counter.with(i % 2 == 0 ? "even" : "odd").add();
    histogram.record(0.5);
    if (i % 100 == 0) co_await yield();  // goes on on any worker
  }
  const bool counted = co_await blocking([&] {
    counter.with("blocking").add();
    return true;
  });
  CHECK(counted);
}

std::string refusal_of(App app) {
  Runtime runtime(test_options());
  try {
    const Server server(runtime, std::move(app));
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE_BEGIN("http/metrics/metrics");

TEST_CASE("values of workers, of the blocking pool, of other threads and of two runtimes add up") {
  MetricRegistry registry;
  const auto counter = registry.counter("work_total", "Work.", {"kind"});
  const auto histogram = registry.histogram("work_seconds", "Work.", {.bounds = {0.25, 1}});
  constexpr int kTasks = 16;
  constexpr int kTimes = 1000;
  {
    Runtime first(test_options());
    Runtime second(test_options());
    std::vector<JoinHandle<void>> tasks;
    for (int i = 0; i != kTasks; ++i) {
      tasks.push_back((i % 2 == 0 ? first : second).spawn(add_often, counter, histogram, kTimes));
    }
    std::thread outside([&] {
      for (int i = 0; i != kTimes; ++i) counter.with("outside").add(2);
    });
    for (JoinHandle<void>& task : tasks) {
      while (!task.done()) std::this_thread::yield();
      task.task().take();
    }
    outside.join();
  }
  CHECK(value_of(registry, "work_total", {{"kind", "even"}}) == kTasks * kTimes / 2);
  CHECK(value_of(registry, "work_total", {{"kind", "odd"}}) == kTasks * kTimes / 2);
  CHECK(value_of(registry, "work_total", {{"kind", "blocking"}}) == kTasks);
  CHECK(value_of(registry, "work_total", {{"kind", "outside"}}) == 2 * kTimes);
  const Collector::Sample recorded = sample_of(Collector(registry), "work_seconds");
  CHECK(recorded.counts == std::vector<std::uint64_t>{0, kTasks * kTimes, 0});
  CHECK(recorded.sum == 0.5 * kTasks * kTimes);
}

TEST_CASE("a metric without labels is reported from the start, one with labels when it is used") {
  MetricRegistry registry;
  const Counter plain = registry.counter("plain_total", "Plain.");
  const auto labeled = registry.counter("labeled_total", "Labeled.", {"a", "b"});
  CHECK(value_of(registry, "plain_total") == 0);
  CHECK(!Collector(registry).families().contains("labeled_total"));
  plain.add(3);
  labeled.with("1", std::string("2")).add();
  CHECK(value_of(registry, "plain_total") == 3);
  CHECK(value_of(registry, "labeled_total", {{"a", "1"}, {"b", "2"}}) == 1);
}

TEST_CASE("a gauge is set, added to and subtracted from") {
  MetricRegistry registry;
  const Gauge gauge = registry.gauge("level", "Level.");
  gauge.set(4);
  gauge.add(2.5);
  gauge.subtract();
  CHECK(value_of(registry, "level") == 5.5);
  gauge.set(-1);
  CHECK(value_of(registry, "level") == -1);
}

TEST_CASE("a value counts in the bucket of the lowest bound that is not below it") {
  MetricRegistry registry;
  const Histogram histogram = registry.histogram("size", "Size.", {.bounds = {1, 2}});
  for (const double value : {0.5, 1.0, 1.5, 2.0, 2.5}) histogram.record(value);
  histogram.record(std::numeric_limits<double>::quiet_NaN());  // is ignored
  const Collector::Sample sample = sample_of(Collector(registry), "size");
  CHECK(sample.counts == std::vector<std::uint64_t>{2, 2, 1});
  CHECK(sample.sum == 7.5);
}

TEST_CASE("durations are recorded in seconds, in buckets from 10 us to 60 s") {
  MetricRegistry registry;
  const Histogram histogram = registry.histogram("took_seconds", "Took.");
  histogram.record(std::chrono::milliseconds(20));
  const Collector::Sample sample = sample_of(Collector(registry), "took_seconds");
  CHECK(sample.bounds.front() == 1e-5);
  CHECK(sample.bounds.back() == 60);
  CHECK(std::ranges::is_sorted(sample.bounds));
  CHECK(sample.sum == doctest::Approx(0.02));
}

TEST_CASE("combinations of label values beyond the maximum count together") {
  MetricRegistry registry;
  const auto counter = registry.counter("seen_total", "Seen.", {"who", "how"}, {.series_max = 2});
  counter.with("a", "x").add();
  counter.with("b", "x").add();
  CHECK(Collector(registry).families().at("seen_total").samples.size() == 2);
  for (int i = 0; i != 100; ++i) counter.with("client-" + std::to_string(i), "y").add();
  counter.with("a", "x").add();
  CHECK(Collector(registry).families().at("seen_total").samples.size() == 3);
  CHECK(value_of(registry, "seen_total", {{"who", "a"}, {"how", "x"}}) == 2);
  CHECK(value_of(registry, "seen_total", {{"who", "_other"}, {"how", "_other"}}) == 100);
}

TEST_CASE("a long label value is not kept") {
  MetricRegistry registry;
  const auto counter = registry.counter("seen_total", "Seen.", {"who"});
  counter.with(std::string(256, 'a')).add();
  counter.with(std::string(257, 'b')).add();
  CHECK(Collector(registry).families().at("seen_total").samples.size() == 2);
  CHECK(value_of(registry, "seen_total", {{"who", std::string(256, 'a')}}) == 1);
  CHECK(value_of(registry, "seen_total", {{"who", "_other"}}) == 1);
}

TEST_CASE("a copy of a metric may outlive the registry") {
  std::optional<MetricRegistry> registry(std::in_place);
  auto labeled = registry->counter("kept_total", "Kept.", {"a"});
  Counter kept = labeled.with("1");
  const Counter other = registry->counter("other_total", "Other.");
  const Counter& same = kept;
  kept = same;
  registry.reset();
  labeled.with("2").add();
  kept.add();
  kept = other;
  kept.add();
}

TEST_CASE("mistakes in registrations are reported by the server, with their place") {
  const struct {
    const char* why;
    void (*make)(MetricRegistry& registry);
    const char* text;
  } cases[] = {
      {"no name", [](MetricRegistry& it) { static_cast<void>(it.counter("", "Help.")); }, "a name must match"},
      {"a digit first", [](MetricRegistry& it) { static_cast<void>(it.gauge("1st", "Help.")); }, "a name must match"},
      {"a dash", [](MetricRegistry& it) { static_cast<void>(it.gauge("a-b", "Help.")); }, "a name must match"},
      {"a name of Volt", [](MetricRegistry& it) { static_cast<void>(it.gauge("volt_x", "Help.")); }, "belong to Volt"},
      {"no unit of counters", [](MetricRegistry& it) { static_cast<void>(it.counter("orders", "Help.")); },
       "must end in _total"},
      {"a gauge as a counter", [](MetricRegistry& it) { static_cast<void>(it.gauge("orders_total", "Help.")); },
       "only the name of a counter may end in _total"},
      {"a part of a histogram", [](MetricRegistry& it) { static_cast<void>(it.gauge("a_sum", "Help.")); },
       "belong to histograms"},
      {"no help", [](MetricRegistry& it) { static_cast<void>(it.gauge("level", "")); }, "the help text is empty"},
      {"a label of Prometheus", [](MetricRegistry& it) { static_cast<void>(it.gauge("level", "Help.", {"__a"})); },
       "label '__a'"},
      {"a malformed label", [](MetricRegistry& it) { static_cast<void>(it.gauge("level", "Help.", {"a:b"})); },
       "label 'a:b'"},
      {"a duplicate label", [](MetricRegistry& it) { static_cast<void>(it.gauge("level", "Help.", {"a", "a"})); },
       "label 'a' occurs twice"},
      {"the label of buckets", [](MetricRegistry& it) { static_cast<void>(it.histogram("size", "Help.", {"le"})); },
       "belongs to the buckets"},
      {"bounds that do not ascend",
       [](MetricRegistry& it) { static_cast<void>(it.histogram("size", "Help.", {.bounds = {1, 1}})); }, "must ascend"},
      {"an infinite bound",
       [](MetricRegistry& it) {
         static_cast<void>(it.histogram("size", "Help.", {.bounds = {1, std::numeric_limits<double>::infinity()}}));
       },
       "must be finite"},
      {"no series", [](MetricRegistry& it) { static_cast<void>(it.gauge("level", "Help.", {"a"}, {.series_max = 0})); },
       "series_max must be from 1"},
      {"a duplicate",
       [](MetricRegistry& it) {
         static_cast<void>(it.gauge("level", "Help."));
         static_cast<void>(it.gauge("level", "Help."));
       },
       "it is registered already (metrics_test.cpp:"},
  };
  for (const auto& [why, make, text] : cases) {
    CAPTURE(std::string(why));
    App app;
    make(app.metrics());
    const std::string refusal = refusal_of(std::move(app));
    CAPTURE(refusal);
    CHECK(refusal.starts_with("metric '"));
    CHECK(refusal.contains("' (metrics_test.cpp:"));
    CHECK(refusal.contains(text));
  }
}

TEST_CASE("a mistake after the start of the server throws") {
  App app;
  MetricRegistry& registry = app.metrics();
  Runtime runtime(test_options());
  const Server server(runtime, std::move(app));
  static_cast<void>(registry.gauge("late", "Help."));
  CHECK_THROWS_AS(static_cast<void>(registry.gauge("late", "Help.")), std::invalid_argument);
}

TEST_CASE("a metric that was refused may be used") {
  MetricRegistry registry;
  registry.counter("bad", "Help.").add();
  registry.counter("bad", "Help.", {"a"}).with("1").add();
  registry.histogram("bad:", "", {.bounds = {2, 1}}).record(3);
  CHECK(Collector(registry).families().empty());
}

TEST_CASE("state with report_metrics(), directly or by a pointer, and added sources are reported") {
  struct Part {
    double size;
    void report_metrics(MetricSink& sink) const { sink.gauge("part_size", "Size.", {{"part", "a"}}, size); }
  };
  struct Other {
    int number;
  };
  App app;
  app.state(Part{.size = 1});
  app.state(Part{.size = 2});  // replaces the first one
  app.state(std::make_shared<Part>(Part{.size = 3}));
  app.state(Other{.number = 4});
  app.metrics().add(Part{.size = 5});
  app.metrics().add(std::make_shared<Part>(Part{.size = 7}));
  app.metrics().add([](MetricSink& sink) { sink.counter("calls_total", "Calls.", {}, 9); });
  MetricRegistry& registry = app.metrics();
  Runtime runtime(test_options());
  const Server server(runtime, std::move(app));
  CHECK(value_of(registry, "part_size", {{"part", "a"}}) == 2 + 3 + 5 + 7);  // equal names and labels add up
  CHECK(value_of(registry, "calls_total") == 9);
}

TEST_CASE("what a source reports is checked") {
  MetricRegistry registry;
  registry.add([](MetricSink& sink) {
    sink.gauge("a-b", "Help.", {}, 1);
    sink.counter("calls", "Help.", {}, 1);
    sink.gauge("level", "", {}, 1);
    sink.gauge("level", "Help.", {{"__a", "1"}}, 1);
    sink.gauge("level", "Help.", {{"a", "1"}, {"a", "2"}}, 1);
    const double bounds[] = {1};
    const std::uint64_t counts[] = {1};
    sink.histogram("size", "Help.", {}, {.bounds = bounds, .counts = counts, .sum = 1});
  });
  CHECK(Collector(registry).families().empty());
  registry.add([](MetricSink& sink) {
    sink.gauge("kept", "Help.", {{"a", "\xff\"\\\n"}}, 1);
    sink.counter("kept_total", "Help.", {}, 1);
    const double bounds[] = {1};
    const std::uint64_t counts[] = {1, 2};
    sink.histogram("kept", "Help.", {}, {.bounds = bounds, .counts = counts, .sum = 1});  // another type
    sink.histogram("size", "Help.", {}, {.bounds = bounds, .counts = counts, .sum = 1});
    sink.histogram("size", "Help.", {}, {.bounds = bounds, .counts = counts, .sum = 2});
  });
  CHECK(Collector(registry).families().size() == 3);
  CHECK(value_of(registry, "kept", {{"a", "\xef\xbf\xbd\"\\\n"}}) == 1);
  const Collector::Sample sample = sample_of(Collector(registry), "size");
  CHECK(sample.counts == std::vector<std::uint64_t>{2, 4});
  CHECK(sample.sum == 3);
}

TEST_SUITE_END();

}  // namespace volt::http
