// SPDX-License-Identifier: MIT

// CannedServer: answers requests with bytes that were written down beforehand, right or wrong, and remembers what it
// was asked. It knows no more HTTP than where a request ends.
//
// Threads: one of its own, which takes one connection's request at a time; the rest any.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/address.h"
#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "tests/support/sockets.h"

namespace volt::test {

// The action of the server when the next request has come.
struct Turn {
  std::string answer;
  bool closes = false;    // afterwards
  bool resets = false;    // afterwards
  bool at_head = false;   // does not wait for the request's body
  std::string drip = {};  // sent byte by byte behind the answer, one every millisecond
};

class CannedServer {
 public:
  explicit CannedServer(std::vector<Turn> turns)
      : turns_(std::move(turns)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const Address any = Address::parse("127.0.0.1:0").value();
    VOLT_CHECK(::bind(listener_.get(), any.data(), any.size_bytes()) == 0);
    VOLT_CHECK(::listen(listener_.get(), 64) == 0);
    sockaddr_storage storage{};
    socklen_t bytes = sizeof storage;
    VOLT_CHECK(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&storage), &bytes) == 0);
    address_ = Address::from(reinterpret_cast<sockaddr*>(&storage), bytes);
    thread_ = std::thread([this] { serve(); });
  }
  ~CannedServer() {
    stopping_.store(true);
    thread_.join();
  }
  CannedServer(const CannedServer&) = delete;
  CannedServer& operator=(const CannedServer&) = delete;

  [[nodiscard]] std::string uri(std::string_view target = "/") const {
    return "http://" + address_.to_string() + std::string(target);
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  // Ever accepted.
  [[nodiscard]] int connections() const { return accepted_.load(); }
  [[nodiscard]] int open_connections() const { return open_.load(); }

 private:
  struct Connection {
    Descriptor fd;
    std::string received;
  };

  void serve() {
    std::vector<Connection> connections;
    while (!stopping_.load()) {
      std::vector<pollfd> polled{{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
      for (const Connection& connection : connections) polled.push_back({connection.fd.get(), POLLIN, 0});
      ::poll(polled.data(), polled.size(), 5);
      for (std::size_t i = connections.size(); i != 0; --i) {
        if (polled[i].revents != 0 && !receive(connections[i - 1])) {
          connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i - 1));
        }
      }
      if (polled[0].revents != 0) {
        connections.push_back({Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)), {}});
        accepted_.fetch_add(1);
      }
      open_.store(static_cast<int>(connections.size()));
    }
  }

  // False: the connection is over.
  bool receive(Connection& connection) {
    char bytes[16 * 1024];
    const ssize_t count = ::recv(connection.fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count <= 0) return false;
    connection.received.append(bytes, static_cast<std::size_t>(count));
    const bool at_head = next_ < turns_.size() && turns_[next_].at_head;
    const std::size_t end = end_of_request(connection.received, at_head);
    if (end == std::string::npos) return true;
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(connection.received.substr(0, end));
    }
    connection.received.erase(0, end);
    if (next_ == turns_.size()) return true;  // silence
    return respond(connection, turns_[next_++]);
  }

  static bool respond(const Connection& connection, const Turn& turn) {
    const int fd = connection.fd.get();
    send_all(fd, turn.answer);
    for (const char byte : turn.drip) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (!send_all(fd, {&byte, 1})) break;
    }
    if (turn.resets) reset_on_close(fd);
    return !turn.closes && !turn.resets;
  }

  static std::size_t end_of_request(std::string_view text, bool at_head) {
    const std::size_t head = text.find("\r\n\r\n");
    if (head == std::string_view::npos) return head;
    if (at_head) return text.size();
    const std::size_t length = text.find("Content-Length: ");
    if (length < head) {
      std::size_t body_bytes = 0;
      std::from_chars(text.data() + length + 16, text.data() + head, body_bytes);
      return head + 4 + body_bytes <= text.size() ? head + 4 + body_bytes : std::string_view::npos;
    }
    if (text.find("Transfer-Encoding: chunked") > head) return head + 4;
    const std::size_t last_chunk = text.find("0\r\n\r\n", head + 4);
    return last_chunk == std::string_view::npos ? last_chunk : last_chunk + 5;
  }

  const std::vector<Turn> turns_;
  std::size_t next_ = 0;
  Descriptor listener_;
  Address address_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;  // under mutex_
  base::Atomic<int> accepted_{0};
  base::Atomic<int> open_{0};
  base::Atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace volt::test
