// The client's end of a connection: plain socket calls on the test's thread, each wait of which has a limit in real time.
//
// Threads: one at a time. Lifetime: closes its descriptor.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace volt::http::testing {

// What came of a transfer that does not wait.
enum class TransferResult : std::uint8_t { some, nothing, ended };

class Socket {
 public:
  // Takes over a connected, non-blocking descriptor. No wait lasts longer than `wait_timeout`.
  Socket(int fd, std::chrono::milliseconds wait_timeout) noexcept : fd_(fd), wait_timeout_(wait_timeout) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), wait_timeout_(other.wait_timeout_) {}
  Socket& operator=(Socket&& other) noexcept;

  // Takes what the kernel takes off the front of `bytes`. `ended`: the peer takes no more.
  TransferResult try_send(std::string_view& bytes) noexcept;
  // Appends what is there, as far as it is at most kReceiveBytes. `ended`: the peer sends no more, or is gone.
  TransferResult try_receive(std::string& to);

  // Until something can be received or, if `sending`, sent. Throws TestFailure when the limit has passed.
  void wait(bool sending = false) const;

  void finish_sending() noexcept;
  void close() noexcept;

  static constexpr std::size_t kReceiveBytes = 64 * 1024;

 private:
  int fd_;
  std::chrono::milliseconds wait_timeout_;
};

}  // namespace volt::http::testing
