// SPDX-License-Identifier: MIT

// The client of heavy.py: light requests in an open loop, beside heavy requests in a closed one. A single thread that
// needs little processor time, and reports how late it was itself.
//
//   heavy_driver PORT HEAVY PATH SECONDS [LIGHT_PATH LIGHT_RATE]
//   heavy_driver paced PORT PATH RATE CONNECTIONS SECONDS
//   heavy_driver steps
//
// HEAVY connections request PATH, one request after another; after a 503 a connection pauses. At the same time
// LIGHT_RATE requests for LIGHT_PATH become due each second (default: 2,000 for /plaintext), on 256 connections in
// turn, and one for /healthz each 20 ms on a connection of its own. A latency counts from the time at which its request
// was due. 50 of the 256 connections each second are closed and opened again for their next request, whose latency
// includes the connecting. A light request without a response at the end counts with the time that it has waited; of
// the heavy ones, only heavy_max does so.
//
// Prints one line of JSON; times are in milliseconds. The figures of the driver itself are how late it was with what
// became due (late_p99, late_max), and its share of one processor in percent (driver_cpu).
//
// `heavy_driver paced` is the client of the scenarios with a fixed rate. RATE requests for PATH become due each second,
// on CONNECTIONS in turn, and nothing else. It prints a line in the format of requests.lua, in microseconds. All
// requests count, because the server has been warmed up before; the percentiles include those without a response at the
// end.
//
// `heavy_driver steps` prints how many steps of the servers' /steps?count=N one processor does in a microsecond.
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loadtest/driver.h"

namespace {

using loadtest::fail;
using loadtest::loopback;
using loadtest::own_cpu_seconds;

constexpr std::int64_t kHealthPeriodNs = 20'000'000;
constexpr std::int64_t kRenewPeriodNs = 20'000'000;
constexpr std::int64_t kPauseNs = 100'000'000;
constexpr double kWarmUpSecondsMax = 1;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

class Latencies {
 public:
  void add(std::int64_t ns) { values_.push_back(ns); }
  [[nodiscard]] std::size_t count() const { return values_.size(); }
  [[nodiscard]] double percentile_ms(double share) {
    if (values_.empty()) return 0;
    const auto index = static_cast<std::size_t>(share * static_cast<double>(values_.size() - 1));
    std::ranges::nth_element(values_, values_.begin() + static_cast<std::ptrdiff_t>(index));
    return static_cast<double>(values_[index]) / 1e6;
  }

 private:
  std::vector<std::int64_t> values_;
};

struct Connection {
  int fd = -1;
  std::string request;
  std::string received;
  std::deque<std::int64_t> due;  // of the requests without a response; the first may have been sent
  bool busy = false;             // connecting, or waiting for a response
  bool connecting = false;
  bool renew = false;  // is opened again for its next request
  bool renewed = false;
  bool heavy = false;
  bool health = false;
};

class Driver {
 public:
  struct Load {
    int heavy = 0;  // connections
    const char* heavy_path = nullptr;
    const char* light_path = "/plaintext";
    double light_per_second = 2000;
    std::size_t light_connections = 256;
    bool light_only = false;  // no request for /healthz, and no connection is opened again
  };

  Driver(std::uint16_t port, const Load& load, double seconds)
      : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        port_(port),
        seconds_(seconds),
        warm_up_seconds_(load.light_only ? 0 : std::min(kWarmUpSecondsMax, seconds)),
        light_period_ns_(static_cast<std::int64_t>(1e9 / load.light_per_second)),
        light_only_(load.light_only) {
    for (std::size_t i = 0; i != load.light_connections; ++i) light_.push_back(make(load.light_path));
    if (!light_only_) {
      health_ = make("/healthz");
      health_->health = true;
    }
    for (int i = 0; i != load.heavy; ++i) {
      heavy_.push_back(make(load.heavy_path));
      heavy_.back()->heavy = true;
    }
  }

  void run() {
    const std::int64_t began_ns = now_ns();
    const double cpu_seconds_before = own_cpu_seconds();
    counted_from_ns_ = began_ns + static_cast<std::int64_t>(warm_up_seconds_ * 1e9);
    const std::int64_t end_ns = counted_from_ns_ + static_cast<std::int64_t>(seconds_ * 1e9);
    for (auto& connection : heavy_) request_due(*connection, now_ns());
    std::int64_t light_due_ns = began_ns;
    std::int64_t health_due_ns = light_only_ ? end_ns : began_ns;
    std::int64_t renew_due_ns = health_due_ns;
    for (std::size_t turn = 0, renewed = 0;;) {
      const std::int64_t at_ns = now_ns();
      if (at_ns >= end_ns) break;
      for (; light_due_ns <= at_ns; light_due_ns += light_period_ns_) {
        if (light_due_ns >= counted_from_ns_) lateness_.add(now_ns() - light_due_ns);
        request_due(*light_[turn++ % light_.size()], light_due_ns);
      }
      for (; health_due_ns <= at_ns; health_due_ns += kHealthPeriodNs) request_due(*health_, health_due_ns);
      for (; renew_due_ns <= at_ns; renew_due_ns += kRenewPeriodNs) {
        light_[renewed++ * 7 % light_.size()]->renew = true;
      }
      resume_paused(at_ns);
      wait(std::min(light_due_ns, end_ns) - now_ns());
    }
    cpu_percent_ = (own_cpu_seconds() - cpu_seconds_before) / (warm_up_seconds_ + seconds_) * 100;
    answered_ = all_.count();
    count_unanswered(end_ns);
  }

  void report() {
    std::printf(
        "{\"p50\": %.3f, \"p99\": %.3f, \"p999\": %.3f, \"max\": %.3f, \"new_p99\": %.3f, \"health_max\": %.3f, "
        "\"light\": %zu, \"heavy_per_s\": %.1f, \"heavy_p99\": %.1f, \"heavy_max\": %.1f, \"refused\": %zu, "
        "\"errors\": %zu, \"late_p99\": %.3f, \"late_max\": %.3f, \"driver_cpu\": %.1f}\n",
        all_.percentile_ms(.5), all_.percentile_ms(.99), all_.percentile_ms(.999), all_.percentile_ms(1),
        new_.percentile_ms(.99), healthy_.percentile_ms(1), all_.count(),
        static_cast<double>(worked_.count()) / seconds_, worked_.percentile_ms(.99),
        std::max(worked_.percentile_ms(1), unfinished_.percentile_ms(1)), refused_, errors_,
        lateness_.percentile_ms(.99), lateness_.percentile_ms(1), cpu_percent_);
  }

  void report_paced() {
    const auto us = [](double ms) { return static_cast<long long>(ms * 1000); };
    std::printf(
        "figures requests=%zu us=%lld errors=%zu refused=%zu p50_us=%lld p99_us=%lld p999_us=%lld late_p99_us=%lld\n",
        answered_, us(seconds_ * 1000), errors_ + refused_, refused_, us(all_.percentile_ms(.5)),
        us(all_.percentile_ms(.99)), us(all_.percentile_ms(.999)), us(lateness_.percentile_ms(.99)));
  }

 private:
  std::unique_ptr<Connection> make(const char* path) {
    auto connection = std::make_unique<Connection>();
    connection->request = std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    open(*connection);
    return connection;
  }

  // The request that is due is sent when the connection becomes writable.
  void open(Connection& connection) {
    if (connection.fd >= 0) ::close(connection.fd);
    connection.received.clear();
    connection.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection.fd < 0) fail("socket");
    const int on = 1;
    ::setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const sockaddr_in address = loopback(port_);
    const int result = ::connect(connection.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (result != 0 && errno != EINPROGRESS) fail("connect");
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.ptr = &connection}};
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event) != 0) fail("epoll_ctl");
    connection.busy = connection.connecting = true;
  }

  void request_due(Connection& connection, std::int64_t due_ns) {
    connection.due.push_back(due_ns);
    if (!connection.busy) next(connection);
  }

  void next(Connection& connection) {
    connection.renewed = std::exchange(connection.renew, false);
    if (connection.renewed) return open(connection);
    send(connection);
  }

  void send(Connection& connection) {
    connection.busy = true;
    const ssize_t sent = ::send(connection.fd, connection.request.data(), connection.request.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(connection.request.size())) broken(connection);
  }

  void broken(Connection& connection) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(connection.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == ECONNREFUSED) {
      std::fputs("heavy_driver: the server does not listen\n", stderr);
      std::exit(1);
    }
    ++errors_;
    open(connection);
  }

  void wait(std::int64_t left_ns) {
    epoll_event events[128];
    left_ns = std::max<std::int64_t>(left_ns, 0);
    const timespec timeout{.tv_sec = left_ns / 1'000'000'000, .tv_nsec = left_ns % 1'000'000'000};
    const int count = ::epoll_pwait2(epoll_, events, std::size(events), &timeout, nullptr);
    for (int i = 0; i < count; ++i) {
      Connection& connection = *static_cast<Connection*>(events[i].data.ptr);
      if ((events[i].events & (EPOLLERR | EPOLLHUP)) != 0) {
        broken(connection);
      } else if ((events[i].events & EPOLLIN) != 0) {
        receive(connection);
      } else if (connection.connecting) {
        connected(connection);
      }
    }
  }

  void connected(Connection& connection) {
    connection.busy = connection.connecting = false;
    if (!connection.due.empty()) send(connection);
  }

  void receive(Connection& connection) {
    char bytes[16 * 1024];
    bool closed = false;
    for (;;) {
      const ssize_t count = ::recv(connection.fd, bytes, sizeof bytes, 0);
      if (count > 0) {
        connection.received.append(bytes, static_cast<std::size_t>(count));
        continue;
      }
      if (count < 0 && errno != EAGAIN && errno != EINTR) return broken(connection);
      closed = count == 0;
      break;
    }
    const std::size_t end = connection.received.find("\r\n\r\n");
    if (end == std::string::npos || connection.received.size() < end + 4 + body_length(connection)) {
      if (closed) broken(connection);
      return;
    }
    const bool ok = connection.received.starts_with("HTTP/1.1 200 ");
    const bool refused = connection.received.starts_with("HTTP/1.1 503 ");
    if (closed || field(connection, "\r\nconnection: close") != nullptr) connection.renew = true;
    connection.received.clear();
    connection.busy = false;
    answered(connection, ok, refused);
  }

  // Returns the text behind `name`, or nullptr.
  static const char* field(const Connection& connection, const char* name) {
    const char* const found = ::strcasestr(connection.received.c_str(), name);
    return found != nullptr ? found + std::strlen(name) : nullptr;
  }

  static std::size_t body_length(const Connection& connection) {
    const char* const length = field(connection, "\r\ncontent-length:");
    return length != nullptr ? std::strtoul(length, nullptr, 10) : 0;
  }

  void answered(Connection& connection, bool ok, bool refused) {
    const std::int64_t at_ns = now_ns();
    const std::int64_t due_ns = connection.due.front();
    connection.due.pop_front();
    const bool counts = due_ns >= counted_from_ns_ || (connection.heavy && at_ns >= counted_from_ns_);
    if (counts && refused) ++refused_;
    if (counts && !ok && !refused) ++errors_;
    if (counts && ok) note(connection, at_ns - due_ns);
    if (connection.heavy) {
      if (refused) return paused_.push_back({&connection, at_ns + kPauseNs});
      return request_due(connection, at_ns);
    }
    if (!connection.due.empty()) next(connection);
  }

  void note(const Connection& connection, std::int64_t latency_ns) {
    if (connection.heavy) return worked_.add(latency_ns);
    if (connection.health) return healthy_.add(latency_ns);
    all_.add(latency_ns);
    if (connection.renewed) new_.add(latency_ns);
  }

  void resume_paused(std::int64_t at_ns) {
    while (!paused_.empty() && paused_.front().until_ns <= at_ns) {
      Connection& connection = *paused_.front().connection;
      paused_.pop_front();
      request_due(connection, at_ns);
    }
  }

  void count_unanswered(std::int64_t end_ns) {
    for (const auto& connection : light_) {
      for (const std::int64_t due_ns : connection->due) {
        if (due_ns >= counted_from_ns_) note(*connection, end_ns - due_ns);
      }
    }
    if (health_) {
      for (const std::int64_t due_ns : health_->due) {
        if (due_ns >= counted_from_ns_) healthy_.add(end_ns - due_ns);
      }
    }
    for (const auto& connection : heavy_) {
      for (const std::int64_t due_ns : connection->due) unfinished_.add(end_ns - due_ns);
    }
  }

  struct Paused {
    Connection* connection;
    std::int64_t until_ns;
  };

  const int epoll_;
  const std::uint16_t port_;
  const double seconds_;
  const double warm_up_seconds_;
  const std::int64_t light_period_ns_;
  const bool light_only_;
  std::int64_t counted_from_ns_ = 0;
  std::vector<std::unique_ptr<Connection>> light_;
  std::vector<std::unique_ptr<Connection>> heavy_;
  std::unique_ptr<Connection> health_;  // null if there are only light requests
  std::deque<Paused> paused_;
  Latencies all_, new_, healthy_, worked_, unfinished_, lateness_;
  std::size_t answered_ = 0;  // light requests that had a response at the end
  std::size_t refused_ = 0;
  std::size_t errors_ = 0;
  double cpu_percent_ = 0;
};

// Returns the result of the fastest of many short tries, so that other processes do not count.
std::int64_t steps_per_us() {
  constexpr int kTries = 200;
  constexpr int kSteps = 200'000;
  std::uint64_t bits = 1;
  std::int64_t fastest_ns = INT64_MAX;
  for (int tries = 0; tries != kTries; ++tries) {
    const std::int64_t began_ns = now_ns();
    for (int left = kSteps; left > 0; --left) {
      bits ^= bits << 13;
      bits ^= bits >> 7;
      bits ^= bits << 17;
    }
    [[maybe_unused]] static volatile std::uint64_t used;
    used = bits;
    fastest_ns = std::min(fastest_ns, now_ns() - began_ns);
  }
  return kSteps * 1000LL / fastest_ns;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "steps") == 0) {
    std::printf("%lld\n", static_cast<long long>(steps_per_us()));
    return 0;
  }
  ::prctl(PR_SET_TIMERSLACK, 1);  // a nanosecond; by default each wait may end 50 us late
  if (count == 7 && std::strcmp(words[1], "paced") == 0) {
    const Driver::Load load{.light_path = words[3],
                            .light_per_second = std::atof(words[4]),
                            .light_connections = static_cast<std::size_t>(std::atoi(words[5])),
                            .light_only = true};
    Driver driver(static_cast<std::uint16_t>(std::atoi(words[2])), load, std::atof(words[6]));
    driver.run();
    driver.report_paced();
    return 0;
  }
  if (count != 5 && count != 7) {
    std::fputs(
        "usage: heavy_driver PORT HEAVY PATH SECONDS [LIGHT_PATH LIGHT_RATE], heavy_driver steps, or\n"
        "       heavy_driver paced PORT PATH RATE CONNECTIONS SECONDS\n",
        stderr);
    return 2;
  }
  Driver::Load load{.heavy = std::atoi(words[2]), .heavy_path = words[3]};
  if (count == 7) {
    load.light_path = words[5];
    load.light_per_second = std::atof(words[6]);
  }
  Driver driver(static_cast<std::uint16_t>(std::atoi(words[1])), load, std::atof(words[4]));
  driver.run();
  driver.report();
}
