// SPDX-License-Identifier: MIT

// ClientCounts: the number of connections of each client. A client is an IPv4 address, or the first 64 bits of an IPv6
// address, because one client usually has all addresses with those bits.
//
// Only connected clients have an entry, so the number of connections bounds the table. The key of an entry is a 64-bit
// hash of the address with a random key, so clients cannot choose addresses that collide.
//
// Threads: any; each client belongs to one of several shards, each with its lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "crypto/keyed_hash.h"
#include "http/message/ip_address.h"

namespace volt::http::server {

class ClientCounts {
 public:
  using Client = std::uint64_t;

  explicit ClientCounts(std::size_t connections_max) noexcept : max_(connections_max) {}

  // Counts one more connection of the client. Returns the client, which must be passed to remove() later. Returns none,
  // and counts nothing, if the client has reached the maximum. Throws std::bad_alloc.
  [[nodiscard]] std::optional<Client> try_add(const message::IpAddress& address);
  void remove(Client client) noexcept;

  [[nodiscard]] std::size_t max() const noexcept { return max_; }

 private:
  static constexpr std::size_t kShards = 16;

  struct Shard {
    std::mutex mutex;
    std::unordered_map<Client, std::size_t> connections;
  };

  [[nodiscard]] Shard& shard_of(Client client) noexcept { return shards_[client % kShards]; }

  const std::size_t max_;
  const crypto::HashKey hash_key_ = crypto::random_hash_key();
  std::array<Shard, kShards> shards_;
};

}  // namespace volt::http::server
