// SPDX-License-Identifier: MIT

#include "http/cookies/memory_session_store.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "crypto/base64.h"
#include "crypto/random.h"

namespace volt::http::cookies {

std::optional<std::string> MemorySessionStore::load(std::string_view cookie, Time now) {
  const std::lock_guard lock(mutex_);
  const auto session = find_locked(cookie, now);
  if (session == sessions_.end()) return std::nullopt;
  return session->data;
}

std::expected<std::string, SaveError> MemorySessionStore::save(std::string_view cookie, std::string_view data,
                                                               Renewal renewal, Time now) {
  if (data.size() > options_.data_bytes_max) return std::unexpected(SaveError::too_long);
  const std::lock_guard lock(mutex_);
  const auto session = cookie.empty() ? create_locked(now) : find_locked(cookie, now);
  if (session == sessions_.end()) return std::unexpected(SaveError::gone);
  if (!cookie.empty() && renewal == Renewal::new_cookie) renew_id_locked(*session);
  session->data = data;
  return crypto::base64url_encode(session->id);
}

void MemorySessionStore::remove(std::string_view cookie) {
  const auto id = id_of(cookie);
  if (!id) return;
  const std::lock_guard lock(mutex_);
  if (const auto found = by_id_.find(*id); found != by_id_.end()) remove_locked(found->second);
}

std::size_t MemorySessionStore::size() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

// Ids are random and chosen by this store only, so their bytes serve as the hash.
std::size_t MemorySessionStore::IdHash::operator()(const Id& id) const noexcept {
  std::size_t hash;
  std::memcpy(&hash, id.data(), sizeof hash);
  return hash;
}

std::optional<MemorySessionStore::Id> MemorySessionStore::id_of(std::string_view cookie) {
  constexpr std::size_t kCookieBytes = 22;
  if (cookie.size() != kCookieBytes) return std::nullopt;
  const auto bytes = crypto::base64url_decode(cookie);
  if (!bytes) return std::nullopt;
  Id id;
  std::ranges::copy(*bytes, id.begin());
  return id;
}

// Finds a session that has not ended, and makes it the most recently used.
MemorySessionStore::Sessions::iterator MemorySessionStore::find_locked(std::string_view cookie, Time now) {
  const auto id = id_of(cookie);
  const auto found = id ? by_id_.find(*id) : by_id_.end();
  if (found == by_id_.end()) return sessions_.end();
  const auto session = found->second;
  if (now >= session->used + options_.idle_time || now >= session->created + options_.life_time) {
    remove_locked(session);
    return sessions_.end();
  }
  session->used = now;
  sessions_.splice(sessions_.begin(), sessions_, session);
  return session;
}

MemorySessionStore::Sessions::iterator MemorySessionStore::create_locked(Time now) {
  // The list is in order of use, so sessions that have been idle for too long are at its end. Removing at most two of
  // them per call bounds the work, and is enough because each call adds only one session.
  for (int i = 0; i < 2 && !sessions_.empty() && now >= sessions_.back().used + options_.idle_time; ++i) {
    remove_locked(std::prev(sessions_.end()));
  }
  if (sessions_.size() >= options_.sessions_max && !sessions_.empty()) remove_locked(std::prev(sessions_.end()));
  sessions_.push_front({.id = {}, .data = {}, .created = now, .used = now});
  crypto::fill_random(sessions_.front().id);
  by_id_.emplace(sessions_.front().id, sessions_.begin());
  return sessions_.begin();
}

void MemorySessionStore::renew_id_locked(Session& session) {
  auto entry = by_id_.extract(session.id);
  crypto::fill_random(session.id);
  entry.key() = session.id;
  by_id_.insert(std::move(entry));
}

void MemorySessionStore::remove_locked(Sessions::iterator session) {
  by_id_.erase(session->id);
  sessions_.erase(session);
}

}  // namespace volt::http::cookies
