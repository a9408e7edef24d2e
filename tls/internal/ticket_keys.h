// The keys that session tickets are sealed with: a new one every lifetime, the two before it still open tickets.
//
// A ticket holds a session's secret, so whoever learns its key reads what was recorded of that session under TLS 1.2:
// that is what rotation bounds. Keys are made here; they leave the process for its replacement alone.
//
// Threads: any.
#pragma once

#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace volt::tls::internal {

struct TicketKey {
  std::array<unsigned char, 16> name;  // in clear in each ticket: which key it is
  std::array<unsigned char, 32> cipher;
  std::array<unsigned char, 32> mac;
  std::chrono::steady_clock::time_point made;
};

class TicketKeys {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr int kKept = 3;  // the newest, and two that only open

  explicit TicketKeys(std::chrono::seconds lifetime) noexcept : lifetime_(lifetime) {}
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  struct Found {
    TicketKey key;
    bool newest;
  };

  // The key for new tickets, made if the last one's time is over. Nothing if the system has no random bytes to give.
  [[nodiscard]] std::optional<TicketKey> newest(Clock::time_point now);
  // The key of that name, if it may still open tickets.
  [[nodiscard]] std::optional<Found> find(std::span<const unsigned char, 16> name, Clock::time_point now);

  // How long a ticket is good for: its key is there as long, however late in the key's time it was sealed.
  [[nodiscard]] std::chrono::seconds ticket_lifetime() const noexcept;

  // The keys, for a replacement of this process on the same machine. Secret.
  [[nodiscard]] std::string export_keys() const;
  // Goes on with the keys of a predecessor. False, and all is as it was, if that is no such text.
  [[nodiscard]] bool import_keys(std::string_view secret, Clock::time_point now);

 private:
  void drop_old_locked(Clock::time_point now);

  const std::chrono::seconds lifetime_;
  mutable std::mutex mutex_;
  std::vector<TicketKey> keys_;  // newest first, at most kKept; guarded by mutex_
};

}  // namespace volt::tls::internal
