// SPDX-License-Identifier: MIT

#include "tls/internal/ticket_keys.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace volt::tls::internal {
namespace {

constexpr std::chrono::seconds kTicketLifetimeMax = std::chrono::days(7);  // RFC 8446 section 4.6.1

// An exported secret consists of the bytes of the keys, including the time when each was made. That time is valid in
// the replacement process too, because the steady clock is common to all processes of a machine.
static_assert(std::is_trivially_copyable_v<TicketKey>);

std::optional<TicketKey> make_key(TicketKeys::Clock::time_point now) {
  TicketKey key{.made = now};
  for (const std::span<unsigned char> secret :
       {std::span(key.name.data(), key.name.size()), std::span(key.cipher.data(), key.cipher.size()),
        std::span(key.mac.data(), key.mac.size())}) {
    if (RAND_bytes(secret.data(), static_cast<int>(secret.size())) != 1) return std::nullopt;
  }
  return key;
}

}  // namespace

void wipe(TicketKey& key) noexcept { OPENSSL_cleanse(&key, sizeof key); }

TicketKeys::~TicketKeys() { std::ranges::for_each(keys_, wipe); }

std::optional<TicketKey> TicketKeys::newest(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_old_locked(now);
  if (!keys_.empty() && now - keys_.front().made < lifetime_) return keys_.front();
  const std::optional<TicketKey> key = make_key(now);
  if (key) keys_.insert(keys_.begin(), *key);
  drop_old_locked(now);
  return key;
}

std::optional<TicketKeys::Found> TicketKeys::find(std::span<const unsigned char, 16> name, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  drop_old_locked(now);
  const auto key = std::ranges::find_if(keys_, [&](const TicketKey& k) { return std::ranges::equal(k.name, name); });
  if (key == keys_.end()) return std::nullopt;
  return Found{*key, key == keys_.begin() && now - key->made < lifetime_};
}

std::chrono::seconds TicketKeys::ticket_lifetime() const noexcept {
  return std::min<std::chrono::seconds>((kKept - 1) * lifetime_, kTicketLifetimeMax);
}

std::string TicketKeys::export_keys() const {
  const std::lock_guard lock(mutex_);
  const auto bytes = std::as_bytes(std::span(keys_));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool TicketKeys::import_keys(std::string_view secret, Clock::time_point now) {
  if (secret.empty() || secret.size() % sizeof(TicketKey) != 0) return false;
  const std::size_t count = secret.size() / sizeof(TicketKey);
  if (count > kKept) return false;
  std::vector<TicketKey> keys;
  keys.reserve(kKept + 1);
  keys.resize(count);
  std::memcpy(keys.data(), secret.data(), secret.size());
  const auto newest_first = [](const TicketKey& a, const TicketKey& b) { return a.made > b.made; };
  const bool sound = keys.front().made <= now && std::ranges::is_sorted(keys, newest_first);
  if (sound) {
    const std::lock_guard lock(mutex_);
    keys_.swap(keys);
  }
  std::ranges::for_each(keys, wipe);
  return sound;
}

void TicketKeys::drop_old_locked(Clock::time_point now) {
  while (!keys_.empty() && (std::ssize(keys_) > kKept || now - keys_.back().made >= kKept * lifetime_)) {
    wipe(keys_.back());
    keys_.pop_back();
  }
}

}  // namespace volt::tls::internal
