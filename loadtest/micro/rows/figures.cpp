// SPDX-License-Identifier: MIT

#include "loadtest/micro/rows/figures.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace rows {

double percentile(std::vector<double> values, double share) {
  const auto rank = std::min(values.size() - 1, static_cast<std::size_t>(static_cast<double>(values.size()) * share));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

void Figures::add_latencies(std::string_view name, const std::vector<double>& values_ns) {
  constexpr double kNsPerUs = 1'000;
  add(std::string(name) + ".p50", percentile(values_ns, 0.50) / kNsPerUs);
  add(std::string(name) + ".p99", percentile(values_ns, 0.99) / kNsPerUs);
}

std::int64_t process_cpu_ns() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace rows
