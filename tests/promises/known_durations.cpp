// SPDX-License-Identifier: MIT

// Handlers of known duration, and a client that measures them, for latency_test.py.
//
//   known_durations FLAGS...                        serves; each handler responds with the nanoseconds that it took
//   known_durations client PORT CLIENTS REQUESTS    sends requests, and writes a line for each:
//                                                   id, path, nanoseconds as the client saw them, as the handler did
//
// The client is a program of its own and no script, because an interpreter adds as much as a short handler takes.
#include <arpa/inet.h>
#include <config/run.h>
#include <http/http.h>
#include <http/middleware/observe.h>
#include <netinet/tcp.h>
#include <runtime/time.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/processor_time.h"

namespace http = volt::http;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

std::string nanoseconds_since(Clock::time_point began) { return std::to_string((Clock::now() - began).count()); }

template <std::int64_t kMicroseconds>
std::string busy() {
  const auto began = Clock::now();
  volt::test::compute(std::chrono::microseconds(kMicroseconds));
  return nanoseconds_since(began);
}

volt::Task<std::string> asleep() {
  const auto began = Clock::now();
  co_await volt::sleep_for(80ms);
  co_return nanoseconds_since(began);
}

int serve(int argc, char** argv) {
  http::App app;
  app.use(http::request_id(), http::access_log());
  app.get("/busy-10us", busy<10>);
  app.get("/busy-200us", busy<200>);
  app.get("/busy-3ms", busy<3'000>);
  app.get("/busy-80ms", busy<80'000>);
  app.get("/asleep-80ms", asleep);
  return volt::run(app, argc, argv);
}

struct Share {
  std::string_view path;
  int percent;
};
constexpr std::array kMix = {Share{"/busy-10us", 46}, Share{"/busy-200us", 30}, Share{"/busy-3ms", 16},
                             Share{"/busy-80ms", 2}, Share{"/asleep-80ms", 6}};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) fail("connect");
  }

  // Returns the body of the response.
  std::string ask(std::string_view path, const std::string& id) {
    const std::string request = "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nX-Request-Id: " + id + "\r\n\r\n";
    if (::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) fail("send");
    std::string text;
    for (;;) {
      const std::size_t head_end = text.find("\r\n\r\n");
      if (head_end != std::string::npos) {
        const std::size_t length = text.find("Content-Length: ");
        if (length > head_end || !text.starts_with("HTTP/1.1 200 ")) {
          std::fputs(text.c_str(), stderr);
          std::exit(1);
        }
        const auto size = static_cast<std::size_t>(std::atoi(text.c_str() + length + 16));
        if (text.size() == head_end + 4 + size) return text.substr(head_end + 4);
      }
      char piece[4096];
      const ssize_t count = ::recv(fd_, piece, sizeof piece, 0);
      if (count <= 0) fail("recv");
      text.append(piece, static_cast<std::size_t>(count));
    }
  }

 private:
  const int fd_;
};

std::string_view choose(std::mt19937& random) {
  int left = std::uniform_int_distribution<int>(0, 99)(random);
  for (const Share& share : kMix) {
    if (left < share.percent) return share.path;
    left -= share.percent;
  }
  return kMix.front().path;
}

int measure(std::uint16_t port, int clients, int requests) {
  std::mutex output;
  std::vector<std::thread> threads;
  for (int number = 0; number != clients; ++number) {
    threads.emplace_back([=, &output] {
      Client client(port);
      std::mt19937 random(static_cast<std::uint32_t>(number));
      std::string lines;
      for (int i = number; i < requests; i += clients) {
        const std::string id = "request-" + std::to_string(i);
        const std::string_view path = choose(random);
        const auto began = Clock::now();
        const std::string handler_ns = client.ask(path, id);
        const auto took = Clock::now() - began;
        lines += id + " " + std::string(path) + " " + std::to_string(took.count()) + " " + handler_ns + "\n";
      }
      const std::scoped_lock lock(output);
      std::fputs(lines.c_str(), stdout);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || std::string_view(argv[1]) != "client") return serve(argc, argv);
  return measure(static_cast<std::uint16_t>(std::atoi(argv[2])), std::atoi(argv[3]), std::atoi(argv[4]));
}
