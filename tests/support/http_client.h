// SPDX-License-Identifier: MIT

// HttpClient: a blocking client of one connection that can do what real ones should not: send pieces, stop reading,
// half-close, reset, go on after the end. It knows no more HTTP than where an answer ends.
//
// Threads: one at a time. Fails by throwing std::runtime_error, which fails the test.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/address.h"

namespace volt::test {

struct Reply {
  int status = 0;
  std::string head;  // with the empty line
  std::string body;

  // Of the first field of that name, in the case that we send; empty if there is none.
  std::string_view field(std::string_view name) const {
    const std::string line = "\r\n" + std::string(name) + ": ";
    const std::size_t at = head.find(line);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + line.size();
    return std::string_view(head).substr(begin, head.find("\r\n", begin) - begin);
  }
  bool closes() const { return field("Connection") == "close"; }
};

class HttpClient {
 public:
  enum class End : std::uint8_t { closed, reset, still_open };

  struct Options {
    int receive_bytes = 0;  // of the socket's buffer; 0: as the system has it
    std::chrono::milliseconds patience = std::chrono::seconds(20);
  };

  explicit HttpClient(std::uint16_t port) : HttpClient(port, Options{}) {}
  HttpClient(std::uint16_t port, Options options)
      : HttpClient(Address::parse("127.0.0.1:" + std::to_string(port)).value(), options) {}
  explicit HttpClient(const Address& address) : HttpClient(address, Options{}) {}
  HttpClient(const Address& address, Options options) : patience_(options.patience) {
    fd_ = ::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (options.receive_bytes != 0) {
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &options.receive_bytes, sizeof options.receive_bytes);
    }
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // A server may refuse the connection before connect() returns. The client then learns of it as it does later.
    if (::connect(fd_, address.data(), address.size_bytes()) != 0 && errno != ECONNRESET) fail("connect");
  }
  ~HttpClient() { close(); }
  HttpClient(HttpClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), patience_(other.patience_), received_(std::move(other.received_)) {}
  HttpClient& operator=(HttpClient&&) = delete;

  void send(std::string_view bytes) {
    while (!bytes.empty()) bytes.remove_prefix(send_some(bytes));
  }
  // False once the peer takes no more: it closed the connection.
  [[nodiscard]] bool try_send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // Sends what the kernel takes within that time, in pieces of `bytes`; how much that was.
  std::size_t send_until_blocked(std::string_view bytes, std::chrono::milliseconds limit) {
    std::size_t sent = 0;
    for (;;) {
      pollfd writable{fd_, POLLOUT, 0};
      if (::poll(&writable, 1, static_cast<int>(limit.count())) != 1) return sent;
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) return sent;
      const auto taken = static_cast<std::size_t>(count);
      sent += bytes.size();
      if (taken != bytes.size()) {  // whole pieces, so that what was sent makes sense
        send(bytes.substr(taken));
        return sent;
      }
    }
  }

  // The next answer, interim ones too. `body_follows`: false for the answer to HEAD.
  [[nodiscard]] Reply read(bool body_follows = true) {
    Reply reply;
    std::size_t end;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) receive();
    reply.head = received_.substr(0, end + 4);
    received_.erase(0, end + 4);
    if (!reply.head.starts_with("HTTP/1.1 ")) throw std::runtime_error("no status line: " + reply.head);
    reply.status = std::stoi(reply.head.substr(9, 3));
    const std::string_view length = reply.field("Content-Length");
    if (length.empty() || !body_follows) return reply;
    const auto bytes = static_cast<std::size_t>(std::stoull(std::string(length)));
    while (received_.size() < bytes) receive();
    reply.body = received_.substr(0, bytes);
    received_.erase(0, bytes);
    return reply;
  }
  [[nodiscard]] Reply ask(std::string_view request) {
    send(request);
    return read();
  }

  // Returns the next bytes, whatever they are; empty at the end of the stream.
  [[nodiscard]] std::string read_some() {
    if (received_.empty()) {
      pollfd readable{fd_, POLLIN, 0};
      if (::poll(&readable, 1, static_cast<int>(patience_.count())) != 1) throw std::runtime_error("nothing in time");
      received_.resize(16 * 1024);
      const ssize_t count = ::recv(fd_, received_.data(), received_.size(), 0);
      received_.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
      if (count < 0) fail("recv");
    }
    return std::exchange(received_, {});
  }

  // All that comes, to the end of that text.
  [[nodiscard]] std::string read_until(std::string_view text) {
    std::size_t at;
    while ((at = received_.find(text)) == std::string::npos) receive();
    const std::string read = received_.substr(0, at + text.size());
    received_.erase(0, read.size());
    return read;
  }

  // How much of it the kernel takes at once; none either if the peer has closed the connection.
  [[nodiscard]] std::size_t send_at_once(std::string_view bytes) const {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }

  // Something has come, or the end.
  [[nodiscard]] bool readable() const {
    pollfd waiting{fd_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 1;
  }

  // How the connection is: still_open if neither data nor an end comes within `limit`. Data is an error.
  [[nodiscard]] End end_within(std::chrono::milliseconds limit) {
    if (!received_.empty()) throw std::runtime_error("more than was asked for: " + received_);
    pollfd readable{fd_, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(limit.count())) != 1) return End::still_open;
    char byte;
    const ssize_t count = ::recv(fd_, &byte, 1, 0);
    if (count > 0) throw std::runtime_error("more than was asked for");
    return count == 0 ? End::closed : End::reset;
  }
  [[nodiscard]] End end() { return end_within(patience_); }

  void finish_sending() const { ::shutdown(fd_, SHUT_WR); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }

 private:
  std::size_t send_some(std::string_view bytes) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) fail("send");
    return static_cast<std::size_t>(count);
  }
  void receive() {
    pollfd readable{fd_, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(patience_.count())) != 1) throw std::runtime_error("no answer in time");
    char bytes[16 * 1024];
    const ssize_t count = ::recv(fd_, bytes, sizeof bytes, 0);
    if (count < 0) fail("recv");
    if (count == 0) throw std::runtime_error("the connection ended before the answer did: " + received_);
    received_.append(bytes, static_cast<std::size_t>(count));
  }
  [[noreturn]] static void fail(const char* what) {
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
  }

  int fd_ = -1;
  std::chrono::milliseconds patience_;
  std::string received_;
};

}  // namespace volt::test
