// ClientCounts: how many connections each client has, by its address, of IPv6 the first 64 bits: what one client has.
//
// There is an entry only for who is connected, so the connections bound the table. A client is known by a hash of 64 bits
// with a random key, as in middleware/token_bucket.h: nobody can choose addresses that fall together.
//
// Threads: any; clients fall into shards, each with its lock.
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

  // One connection more. Who it counts for, to be given to remove(); empty: it has as many as it may. Throws
  // std::bad_alloc.
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
