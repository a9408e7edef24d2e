// SPDX-License-Identifier: MIT

#include "loadtest/scaling/load.h"

#include <cmath>

#include "runtime/placement.h"
#include "runtime/sched/random.h"

namespace volt::scaling {
namespace {

// After the last request, so long may the rest take. Work that is not done by then counts as lost.
constexpr std::int64_t kDrainNs = 2'000'000'000;

// The first request comes when all threads have started and sleep.
constexpr double kBeginNs = 5e6;

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] double uniform() { return (random_.next() + 0.5) / 4294967296.0; }
  [[nodiscard]] double exponential(double mean) { return -std::log(uniform()) * mean; }
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) { return random_.below(bound); }

 private:
  sched::Random random_;
};

}  // namespace

Load::Load(const LoadOptions& options) : options_(options) {
  place_connections();
  draw_requests();
  window_begin_ns_ = requests_[requests_.size() / 10].at_ns;
  window_end_ns_ = requests_.back().at_ns;
  drain_until_ns_ = window_end_ns_ + kDrainNs;
  latencies_ns_.reserve(requests_.size());
}

void Load::place_connections() {
  const std::uint32_t workers = options_.workers;
  connections_.resize(options_.connections != 0 ? options_.connections : workers * 16);
  Draws draws(options_.seed * 2 + 1);
  Placement placement(workers);
  for (std::uint32_t i = 0; i != connections_.size(); ++i) {
    const std::uint32_t accepted_on = draws.below(workers);
    Connection& connection = connections_[i];
    connection.index = i;
    connection.home = options_.placed ? placement.enter(accepted_on) : accepted_on;
    connection.last_worker = connection.home;
    if (connection.home < std::max(1u, workers / 8)) hot_.push_back(i);
  }
  if (hot_.empty()) hot_.push_back(0);
}

void Load::draw_requests() {
  Draws draws(options_.seed * 2);
  const double stall_share = options_.stalls * static_cast<double>(options_.service_ns) / kStallNs;  // of the requests
  const double mean_ns = static_cast<double>(options_.service_ns) * (1 - options_.stalls) + stall_share * kStallNs;
  const double gap_ns = mean_ns / (options_.load * options_.workers);
  const std::uint32_t at_once = options_.arrivals == "bursty" ? options_.workers : 1;
  const double service_ns = static_cast<double>(options_.service_ns);
  double at_ns = kBeginNs;
  for (std::uint32_t i = 0; i != options_.requests; ++i) {
    if (i % at_once == 0) at_ns += draws.exponential(gap_ns * at_once);
    double takes_ns = service_ns;
    if (options_.services == "exponential") takes_ns = draws.exponential(service_ns);
    if (options_.services == "mixed") takes_ns = service_ns / 1.95 * (draws.below(20) == 0 ? 20 : 1);
    if (draws.uniform() < stall_share) takes_ns = kStallNs;
    const bool hot = options_.skewed && draws.below(2) == 0;
    const std::uint32_t connection = hot ? hot_[draws.below(static_cast<std::uint32_t>(hot_.size()))]
                                         : draws.below(static_cast<std::uint32_t>(connections_.size()));
    requests_.push_back({.at_ns = static_cast<std::int64_t>(at_ns),
                         .service_ns = std::max<std::int64_t>(1, static_cast<std::int64_t>(takes_ns)),
                         .connection = connection});
  }
}

Connection* Load::arrive() noexcept {
  if (next_ == requests_.size()) {
    machine().end_run();
    return nullptr;
  }
  if (next_ == requests_.size() / 10) machine().reset_counts();
  const Request& request = requests_[next_++];
  Connection& connection = connections_[request.connection];
  connection.waiting.push_back(request);
  return std::exchange(connection.active, true) ? nullptr : &connection;
}

bool Load::serve(Connection& connection, std::int64_t limit_ns) noexcept {
  Machine& cores = machine();
  cores.fetch_task(connection.last_worker);
  connection.last_worker = cores.current();
  for (std::uint32_t served = 0; !connection.waiting.empty(); ++served) {
    if (served == kRequestsInTurn || limit_ns <= 0) return true;
    Request& request = connection.waiting.front();
    const std::int64_t slice_ns = std::min(request.service_ns, limit_ns);
    cores.spend(slice_ns);
    limit_ns -= slice_ns;
    request.service_ns -= slice_ns;
    if (request.service_ns != 0) continue;
    const std::int64_t now_ns = cores.now_ns();
    if (request.at_ns >= window_begin_ns_) latencies_ns_.push_back(now_ns - request.at_ns);
    if (now_ns >= window_begin_ns_ && now_ns <= window_end_ns_) ++done_in_window_;
    connection.waiting.pop_front();
    if (++done_ == requests_.size()) cores.end_run();
  }
  connection.active = false;
  return false;
}

double Load::throughput() const noexcept {
  return static_cast<double>(done_in_window_) * 1e9 / static_cast<double>(window_end_ns_ - window_begin_ns_);
}

double Load::offered() const noexcept {
  const auto requests = static_cast<double>(requests_.size() - requests_.size() / 10);
  return requests * 1e9 / static_cast<double>(window_end_ns_ - window_begin_ns_);
}

double Load::latency_us(double quantile) {
  if (latencies_ns_.empty()) return 0;
  const auto rank = static_cast<std::size_t>(quantile * static_cast<double>(latencies_ns_.size() - 1));
  std::ranges::nth_element(latencies_ns_, latencies_ns_.begin() + static_cast<std::ptrdiff_t>(rank));
  return static_cast<double>(latencies_ns_[rank]) / 1e3;
}

}  // namespace volt::scaling
