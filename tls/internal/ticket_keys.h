// SPDX-License-Identifier: MIT

// TicketKeys: the keys that encrypt session tickets. A new key is made every lifetime; the two previous keys still
// decrypt tickets.
//
// A ticket holds the secret of a session. With TLS 1.2, an attacker who has the ticket's key can decrypt a recording of
// that session. Rotation bounds the number of sessions that one key exposes. Keys are made in this class, and leave the
// process only for its replacement process.
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

// The holder of a copy must wipe it.
struct TicketKey {
  std::array<unsigned char, 16> name;  // identifies the key; in clear text in each ticket
  std::array<unsigned char, 32> cipher;
  std::array<unsigned char, 32> mac;
  std::chrono::steady_clock::time_point made;
};

// Overwrites the key in memory.
void wipe(TicketKey& key) noexcept;

class TicketKeys {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr int kKept = 3;  // number of keys: the newest, and two that only decrypt

  explicit TicketKeys(std::chrono::seconds lifetime) : lifetime_(lifetime) { keys_.reserve(kKept + 1); }
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  struct Found {
    TicketKey key;
    bool newest;
  };

  // Returns the key for new tickets. Makes a new one if the lifetime of the newest has passed. Returns nothing if the
  // system provides no random bytes.
  [[nodiscard]] std::optional<TicketKey> newest(Clock::time_point now);
  // Returns the key with the name `name`, if it may still decrypt tickets.
  [[nodiscard]] std::optional<Found> find(std::span<const unsigned char, 16> name, Clock::time_point now);

  // Returns how long a ticket is valid. Its key is kept for at least this time after the ticket was encrypted.
  [[nodiscard]] std::chrono::seconds ticket_lifetime() const noexcept;

  // Returns the keys for a replacement process on this machine. The result is secret.
  [[nodiscard]] std::string export_keys() const;
  // Replaces the keys by those that export_keys() of the replaced process returned. Returns false and changes nothing
  // if `secret` has another form.
  [[nodiscard]] bool import_keys(std::string_view secret, Clock::time_point now);

 private:
  void drop_old_locked(Clock::time_point now);

  const std::chrono::seconds lifetime_;
  mutable std::mutex mutex_;
  std::vector<TicketKey> keys_;  // newest first, at most kKept; guarded by mutex_
  // Invariant: keys_.capacity() > kKept, because growing would leave copies of keys in freed memory.
};

}  // namespace volt::tls::internal
