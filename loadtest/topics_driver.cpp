// SPDX-License-Identifier: MIT

// The client of topics.py: many WebSockets that receive what one of them sends. A single thread.
//
//   topics_driver PORT SUBSCRIBERS BATCH BYTES SECONDS
//
// Opens SUBSCRIBERS WebSockets at /topic, whose server sends each message of a client to all of them. Then one of them
// sends BATCH text messages of BYTES bytes in one piece, again as soon as all have received them, for SECONDS. A tenth
// of the time before that warms up; then it prints "ready" and waits for a line on standard input.
//
// At the end it prints one line of JSON: deliveries (messages times subscribers), seconds, the median and the 99th
// percentile of the time from the sending of a batch until a subscriber has the whole batch, and until the last one has
// it (last_*), in milliseconds, and the driver's processor time per delivery in microseconds (driver_cpu_us).
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "loadtest/driver.h"

namespace {

using loadtest::fail;
using loadtest::loopback;
using loadtest::own_cpu_seconds;

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::size_t kShortFrame = 125;  // longer payloads have two bytes more of length (RFC 6455 section 5.2)
constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kUntilSubscribed = std::chrono::milliseconds(500);  // after the last handshake
constexpr std::string_view kHandshake =
    "GET /topic HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

double percentile(std::vector<double>& values, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(index));
  return values[index];
}

// Returns the frame of a text message of `bytes` bytes: what a server sends; what a client sends if `masked`.
std::string text_frame(std::size_t bytes, bool masked) {
  const char mask_bit = masked ? '\x80' : '\0';
  std::string frame = "\x81";
  if (bytes <= kShortFrame) {
    frame.push_back(static_cast<char>(mask_bit | static_cast<char>(bytes)));
  } else {
    frame.push_back(static_cast<char>(mask_bit | 126));
    frame.push_back(static_cast<char>(bytes >> 8));
    frame.push_back(static_cast<char>(bytes & 0xff));
  }
  if (masked) frame.append(4, '\0');  // a key of zeros changes nothing
  return frame.append(bytes, 'x');
}

int open_websocket(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  const sockaddr_in address = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::send(fd, kHandshake.data(), kHandshake.size(), 0) != static_cast<ssize_t>(kHandshake.size())) fail("send");
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {  // byte by byte: what follows the head belongs to the first message
    char c = 0;
    if (::recv(fd, &c, 1, 0) != 1) give_up("no response to the handshake");
    head.push_back(c);
  }
  if (!head.starts_with("HTTP/1.1 101 ")) give_up("the handshake was refused: " + head);
  return fd;
}

class Driver {
 public:
  Driver(std::uint16_t port, std::size_t subscribers, std::size_t batch, std::size_t bytes)
      : epoll_(::epoll_create1(EPOLL_CLOEXEC)), received_(subscribers, 0), frame_(text_frame(bytes, false)) {
    for (std::size_t i = 0; i != batch; ++i) batch_ += text_frame(bytes, true);
    batch_bytes_ = batch * frame_.size();
    for (std::size_t i = 0; i != subscribers; ++i) {
      sockets_.push_back(open_websocket(port));
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, sockets_.back(), &event) != 0) fail("epoll_ctl");
    }
  }

  // Sends batches for this time. Returns how many, and counts latencies only if `measured`.
  std::size_t run(Clock::duration time, bool measured) {
    const Clock::time_point end = Clock::now() + time;
    std::size_t batches = 0;
    do {
      const double last_ms = send_batch(measured);
      if (measured) last_ms_.push_back(last_ms);
      ++batches;
    } while (Clock::now() < end);
    return batches;
  }

  void report(std::size_t deliveries, double seconds, double cpu_seconds) {
    std::printf(
        "{\"deliveries\": %zu, \"seconds\": %.3f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"last_p50_ms\": %.3f, "
        "\"last_p99_ms\": %.3f, \"driver_cpu_us\": %.3f}\n",
        deliveries, seconds, percentile(whole_ms_, 0.5), percentile(whole_ms_, 0.99), percentile(last_ms_, 0.5),
        percentile(last_ms_, 0.99), cpu_seconds * 1e6 / static_cast<double>(deliveries));
  }

 private:
  // Returns after how many milliseconds the last subscriber had the whole batch.
  double send_batch(bool measured) {
    std::ranges::fill(received_, 0);
    const Clock::time_point sent = Clock::now();
    if (::send(sockets_.front(), batch_.data(), batch_.size(), 0) != static_cast<ssize_t>(batch_.size())) fail("send");
    double ms = 0;
    for (std::size_t left = sockets_.size(); left != 0;) {
      std::array<epoll_event, 512> events;
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 1000);
      ms = Milliseconds(Clock::now() - sent).count();
      if (Clock::now() - sent > kPatience) give_up("some subscribers did not receive a message");
      for (int i = 0; i < count; ++i) {
        if (!receive(events[static_cast<std::size_t>(i)].data.u64)) continue;
        --left;
        if (measured) whole_ms_.push_back(ms);
      }
    }
    return ms;
  }

  // Returns whether this subscriber has the whole batch now.
  bool receive(std::size_t subscriber) {
    const ssize_t count = ::recv(sockets_[subscriber], buffer_.data(), buffer_.size(), 0);
    if (count <= 0) give_up("the server closed a WebSocket");
    if (received_[subscriber] == 0 && !frame_.starts_with(std::string_view(buffer_.data(), 1))) {
      give_up("the server sends something else than text messages");
    }
    received_[subscriber] += static_cast<std::size_t>(count);
    if (received_[subscriber] > batch_bytes_) give_up("the server sends more than the messages");
    return received_[subscriber] == batch_bytes_;
  }

  const int epoll_;
  std::vector<int> sockets_;
  std::vector<std::size_t> received_;  // bytes of the present batch, by subscriber
  const std::string frame_;
  std::string batch_;
  std::size_t batch_bytes_ = 0;
  std::array<char, 65536> buffer_{};
  std::vector<double> whole_ms_;
  std::vector<double> last_ms_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 6) {
    std::fputs("usage: topics_driver PORT SUBSCRIBERS BATCH BYTES SECONDS\n", stderr);
    return 2;
  }
  const auto number = [words](int index) { return static_cast<std::size_t>(std::atoll(words[index])); };
  const std::size_t subscribers = number(2);
  const std::size_t batch = number(3);
  const auto time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::atof(words[5])));
  Driver driver(static_cast<std::uint16_t>(number(1)), subscribers, batch, number(4));
  std::this_thread::sleep_for(kUntilSubscribed);
  driver.run(time / 10, false);
  std::puts("ready");
  std::fflush(stdout);
  static_cast<void>(std::getchar());
  const double cpu_before = own_cpu_seconds();
  const Clock::time_point began = Clock::now();
  const std::size_t batches = driver.run(time, true);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  driver.report(batches * batch * subscribers, seconds, own_cpu_seconds() - cpu_before);
}
