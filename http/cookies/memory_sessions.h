// SPDX-License-Identifier: MIT

// MemorySessions: a SessionStore in the memory of this process, for the tests of programs that use a shared store.
//
// A program with one process needs no store: sessions() without keys keeps its sessions in memory, too, and hands them
// over in a hot restart.
//
// Threads: any. Lifetime: the sessions end with it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "http/cookies/session_store.h"

namespace volt::http {

namespace cookies {
class MemorySessionStore;
}

struct MemorySessionsOptions {
  std::size_t sessions_max = 100'000;                       // as SessionOptions::sessions_max
  std::size_t data_bytes_max = 16 * 1024;                   // maximum size of one session's data
  std::chrono::seconds idle_time = std::chrono::hours(24);  // a session unused for this long ends
};

class MemorySessions final : public SessionStore {
 public:
  explicit MemorySessions(MemorySessionsOptions options = {});
  ~MemorySessions() override;

  [[nodiscard]] std::chrono::seconds idle_time() const noexcept override { return idle_time_; }

  [[nodiscard]] Task<std::optional<std::string>> load(std::string cookie) override;
  [[nodiscard]] Task<std::expected<std::string, cookies::SaveError>> save(std::string cookie, std::string data,
                                                                          cookies::Renewal renewal) override;
  Task<> remove(std::string cookie) override;

 private:
  const std::chrono::seconds idle_time_;
  std::unique_ptr<cookies::MemorySessionStore> store_;
};

}  // namespace volt::http
