// SPDX-License-Identifier: MIT

#include "http/cookies/memory_sessions.h"

#include "http/cookies/memory_session_store.h"
#include "runtime/wall_clock.h"

namespace volt::http {
MemorySessions::MemorySessions(MemorySessionsOptions options)
    : idle_time_(options.idle_time),
      store_(std::make_unique<cookies::MemorySessionStore>(
          cookies::MemorySessionOptions{.sessions_max = options.sessions_max,
                                        .data_bytes_max = options.data_bytes_max,
                                        .idle_time = options.idle_time,
                                        .life_time = std::chrono::years(10)})) {}  // sessions() bounds the life
MemorySessions::~MemorySessions() = default;

Task<std::optional<std::string>> MemorySessions::load(std::string cookie) {
  co_return store_->load(cookie, wall_second());
}

Task<std::expected<std::string, cookies::SaveError>> MemorySessions::save(std::string cookie, std::string data,
                                                                          cookies::Renewal renewal) {
  co_return store_->save(cookie, data, renewal, wall_second());
}

Task<> MemorySessions::remove(std::string cookie) {
  store_->remove(cookie);
  co_return;
}

}  // namespace volt::http
