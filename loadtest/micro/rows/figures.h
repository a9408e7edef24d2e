// SPDX-License-Identifier: MIT

// Figures: the results of scheduler_rows, by name; of several values for one name, the median is reported.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rows {

// Returns the value below which `share` of all values lie, for example 0.99. `values` must not be empty.
[[nodiscard]] double percentile(std::vector<double> values, double share);
[[nodiscard]] inline double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

class Figures {
 public:
  void add(std::string_view name, double value) { values_[std::string(name)].push_back(value); }
  // Adds `name`.p50 and `name`.p99, in microseconds.
  void add_latencies(std::string_view name, const std::vector<double>& values_ns);

  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(std::string(name)); }
  [[nodiscard]] double median_of(std::string_view name) const { return median(values_.at(std::string(name))); }

 private:
  std::map<std::string, std::vector<double>> values_;
};

// Returns the median of the results of `measure` in `rounds` rounds, after one round that only warms up.
template <class Measure>
[[nodiscard]] double median_of_rounds(int rounds, Measure measure) {
  static_cast<void>(measure());
  std::vector<double> values;
  for (int i = 0; i != rounds; ++i) values.push_back(static_cast<double>(measure()));
  return median(std::move(values));
}

[[nodiscard]] std::int64_t process_cpu_ns();
[[nodiscard]] double resident_bytes();

}  // namespace rows
