// Sessions that the client keeps, encrypted in the cookie: see session_store.h for what that gives and costs.
//
// Renewal has no meaning here: each save makes a new value, and the old ones stay good until they end.
//
// Threads: any.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/cookies/internal/sealed_value.h"
#include "http/cookies/internal/session_store.h"

namespace volt::http::cookies {

class CookieSessionStore final : public SessionStore {
 public:
  // `keys` as ValueSealer has them; `name` is the cookie's; a session ends `life_time` after it was last saved.
  CookieSessionStore(std::span<const crypto::SecretKey> keys, std::string name, std::chrono::seconds life_time);

  std::optional<std::string> load(std::string_view cookie, Time now) override;
  std::expected<std::string, SaveError> save(std::string_view cookie, std::string_view data, Renewal renewal,
                                             Time now) override;
  void remove(std::string_view cookie) override;

 private:
  ValueSealer sealer_;
  std::string name_;
  std::chrono::seconds life_time_;
};

}  // namespace volt::http::cookies
