// SPDX-License-Identifier: MIT

// CookieSessionStore: sessions whose data is stored in the cookie, encrypted. http/cookies/internal/session_store.h
// compares the stores.
//
// save() treats both values of Renewal alike: each call makes a new cookie value, and the old values stay valid until
// they expire.
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
  // `keys`: see ValueSealer. `name`: the name of the cookie. A session ends `life_time` after it was last saved.
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
