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
enum class Moved : std::uint8_t { some, nothing, ended };

class Socket {
 public:
  // Takes over a connected, non-blocking descriptor. No wait lasts longer than `patience`.
  Socket(int fd, std::chrono::milliseconds patience) noexcept : fd_(fd), patience_(patience) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), patience_(other.patience_) {}
  Socket& operator=(Socket&& other) noexcept;

  // Takes what the kernel takes off the front of `bytes`. `ended`: the peer takes no more.
  Moved try_send(std::string_view& bytes) noexcept;
  // Appends what is there, as far as it is at most kReceiveBytes. `ended`: the peer sends no more, or is gone.
  Moved try_receive(std::string& to);

  // Until something can be received or, if `sending`, sent. Throws TestFailure when the limit has passed.
  void wait(bool sending = false) const;

  void finish_sending() noexcept;
  void close() noexcept;

  static constexpr std::size_t kReceiveBytes = 64 * 1024;

 private:
  int fd_;
  std::chrono::milliseconds patience_;
};

}  // namespace volt::http::testing
