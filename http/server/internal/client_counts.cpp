// SPDX-License-Identifier: MIT

#include "http/server/internal/client_counts.h"

#include <string_view>

namespace volt::http::server {

std::optional<ClientCounts::Client> ClientCounts::try_add(const message::IpAddress& address) {
  constexpr std::size_t kSubnetBytes = 8;
  const auto& bytes = address.bytes();
  const std::string_view whole(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Client client = crypto::keyed_hash(hash_key_, address.is_v4() ? whole : whole.substr(0, kSubnetBytes));
  Shard& shard = shard_of(client);
  const std::scoped_lock lock(shard.mutex);
  std::size_t& count = shard.connections[client];
  if (count >= max_) return std::nullopt;
  ++count;
  return client;
}

void ClientCounts::remove(Client client) noexcept {
  Shard& shard = shard_of(client);
  const std::scoped_lock lock(shard.mutex);
  const auto found = shard.connections.find(client);
  if (--found->second == 0) shard.connections.erase(found);
}

}  // namespace volt::http::server
