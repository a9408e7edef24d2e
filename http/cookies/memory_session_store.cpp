// SPDX-License-Identifier: MIT

#include "http/cookies/memory_session_store.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <ranges>
#include <utility>

#include "crypto/base64.h"
#include "crypto/random.h"

namespace volt::http::cookies {

std::optional<std::string> MemorySessionStore::load(std::string_view cookie, Time now) {
  const std::lock_guard lock(mutex_);
  read_inherited_locked();
  const auto session = find_locked(cookie, now);
  if (!session) return std::nullopt;
  return (*session)->data;
}

std::expected<std::string, SaveError> MemorySessionStore::save(std::string_view cookie, std::string_view data,
                                                               Renewal renewal, Time now) {
  if (data.size() > options_.data_bytes_max) return std::unexpected(SaveError::too_long);
  const std::lock_guard lock(mutex_);
  read_inherited_locked();
  const auto session = cookie.empty() ? create_locked(now) : find_locked(cookie, now);
  if (!session) return std::unexpected(cookie.empty() ? SaveError::full : SaveError::gone);
  if (renewal == Renewal::new_cookie) renew_id_locked(*session);
  (*session)->data = data;
  hand_over_saved_locked(**session);
  return crypto::base64url_encode((*session)->id);
}

void MemorySessionStore::remove(std::string_view cookie) {
  const auto id = id_of(cookie);
  if (!id) return;
  const std::lock_guard lock(mutex_);
  read_inherited_locked();
  const auto found = by_id_.find(*id);
  if (found == by_id_.end()) return;
  note_ended_locked(*id);
  remove_locked(found->second);
}

std::size_t MemorySessionStore::size() const {
  const std::lock_guard lock(mutex_);
  return by_id_.size();
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
std::optional<MemorySessionStore::Sessions::iterator> MemorySessionStore::find_locked(std::string_view cookie,
                                                                                      Time now) {
  const auto id = id_of(cookie);
  const auto found = id ? by_id_.find(*id) : by_id_.end();
  if (found == by_id_.end()) return std::nullopt;
  const auto session = found->second;
  if (now >= session->used + options_.idle_time || now >= session->created + options_.life_time) {
    remove_locked(session);
    return std::nullopt;
  }
  session->used = now;
  Sessions& list = list_of(*session);
  list.splice(list.begin(), list, session);
  return session;
}

std::optional<MemorySessionStore::Sessions::iterator> MemorySessionStore::create_locked(Time now) {
  remove_expired_locked(now);
  if (by_id_.size() >= options_.sessions_max) {
    if (fresh_.empty()) return std::nullopt;
    remove_locked(std::prev(fresh_.end()));
  }
  fresh_.push_front({.id = {}, .data = {}, .created = now, .used = now});
  crypto::fill_random(fresh_.front().id);
  by_id_.emplace(fresh_.front().id, fresh_.begin());
  return fresh_.begin();
}

// The lists are in order of use, so sessions that have been idle for too long are at their ends. Removing at most two
// of each per call bounds the work, and is enough because each call adds only one session.
void MemorySessionStore::remove_expired_locked(Time now) {
  for (Sessions* list : {&fresh_, &renewed_}) {
    for (int i = 0; i < 2 && !list->empty() && now >= list->back().used + options_.idle_time; ++i) {
      remove_locked(std::prev(list->end()));
    }
  }
}

void MemorySessionStore::renew_id_locked(Sessions::iterator session) {
  note_ended_locked(session->id);
  hand_over_removed_locked(session->id);
  auto entry = by_id_.extract(session->id);
  crypto::fill_random(session->id);
  entry.key() = session->id;
  by_id_.insert(std::move(entry));
  renewed_.splice(renewed_.begin(), list_of(*session), session);
  session->renewed = true;
}

void MemorySessionStore::remove_locked(Sessions::iterator session) {
  hand_over_removed_locked(session->id);
  by_id_.erase(session->id);
  list_of(*session).erase(session);
}

// The least recently used session comes first, so that the reader, which adds each at the front, has the same order.
int MemorySessionStore::begin_handover(std::string_view secret) {
  const std::lock_guard lock(mutex_);
  try {
    read_inherited_locked();
    handover_ = SessionLog::create();
    handover_.add({.kind = SessionRecord::Kind::secret, .data = std::string(secret)});
    for (const Sessions* list : {&fresh_, &renewed_}) {
      for (const Session& session : std::views::reverse(*list)) handover_.add(record_of(session));
    }
    return handover_.flush() ? handover_.fd() : -1;
  } catch (const std::bad_alloc&) {  // decided: the replacement process begins without sessions
    handover_ = SessionLog();
    return -1;
  }
}

void MemorySessionStore::end_handover() noexcept {
  const std::lock_guard lock(mutex_);
  if (!handover_.open()) return;
  try {
    handover_.add({.kind = SessionRecord::Kind::end});
    handover_.flush();
  } catch (const std::bad_alloc&) {  // decided: the replacement process has all sessions without this record, too
  }
  handover_ = SessionLog();
}

std::string MemorySessionStore::inherit(int fd) {
  const std::lock_guard lock(mutex_);
  inherited_ = SessionLog(fd);
  const auto first = inherited_.next();
  if (!first || first->kind != SessionRecord::Kind::secret) {
    inherited_ = SessionLog();
    return {};
  }
  read_inherited_locked();
  return first->data;
}

void MemorySessionStore::hand_over_saved_locked(const Session& session) {
  if (!handover_.open()) return;
  handover_.add(record_of(session));
  handover_.flush();
}

void MemorySessionStore::hand_over_removed_locked(const Id& id) {
  if (!handover_.open()) return;
  handover_.add({.kind = SessionRecord::Kind::removed, .id = id});
  handover_.flush();
}

void MemorySessionStore::read_inherited_locked() {
  while (auto record = inherited_.next()) adopt_locked(std::move(*record));
  if (!inherited_.open()) ended_.clear();
}

void MemorySessionStore::note_ended_locked(const Id& id) {
  if (!inherited_.open()) return;
  if (ended_.size() < options_.sessions_max) {
    ended_.insert(id);
    return;
  }
  inherited_ = SessionLog();  // the replaced process has ended long ago, without saying so
  ended_.clear();
}

void MemorySessionStore::adopt_locked(SessionRecord record) {
  if (ended_.contains(record.id)) return;
  if (const auto known = by_id_.find(record.id); known != by_id_.end()) remove_locked(known->second);
  const bool is_kept = record.kind == SessionRecord::Kind::saved && record.data.size() <= options_.data_bytes_max;
  if (!is_kept || by_id_.size() >= options_.sessions_max) return;
  Sessions& list = record.renewed ? renewed_ : fresh_;
  list.push_front({.id = record.id,
                   .data = std::move(record.data),
                   .created = record.created,
                   .used = record.used,
                   .renewed = record.renewed});
  by_id_.emplace(record.id, list.begin());
  hand_over_saved_locked(list.front());
}

SessionRecord MemorySessionStore::record_of(const Session& session) {
  return {.kind = SessionRecord::Kind::saved,
          .id = session.id,
          .created = session.created,
          .used = session.used,
          .renewed = session.renewed,
          .data = session.data};
}

}  // namespace volt::http::cookies
