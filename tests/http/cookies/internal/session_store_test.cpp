// SPDX-License-Identifier: MIT

#include "http/cookies/internal/session_store.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "crypto/secret_key.h"
#include "http/cookies/cookie_session_store.h"
#include "http/cookies/memory_session_store.h"

namespace volt::http::cookies {
namespace {

using namespace std::chrono_literals;
using Time = SessionStore::Time;
using enum Renewal;

constexpr Time kNow{1'700'000'000s};

}  // namespace

TEST_SUITE_BEGIN("http/cookies/session_store");

TEST_CASE("both stores keep data until the session ends") {
  const std::vector<crypto::SecretKey> keys{crypto::random_key()};
  CookieSessionStore in_cookie(keys, "session", 1h);
  MemorySessionStore in_memory({.idle_time = 1h});
  for (SessionStore* store : {static_cast<SessionStore*>(&in_cookie), static_cast<SessionStore*>(&in_memory)}) {
    const auto cookie = store->save("", R"({"user":7})", keep_cookie, kNow);
    REQUIRE(cookie);
    CHECK(store->load(*cookie, kNow) == R"({"user":7})");
    const auto again = store->save(*cookie, R"({"user":8})", keep_cookie, kNow);
    REQUIRE(again);
    CHECK(store->load(*again, kNow) == R"({"user":8})");
    CHECK(store->load(*again, kNow + 1h) == std::nullopt);
    for (const std::string unknown : {"", "x", "AAAAAAAAAAAAAAAAAAAAAA", "*********************"}) {
      CHECK(store->load(unknown, kNow) == std::nullopt);
    }
  }
}

TEST_CASE("a cookie with another name or that is too large gives no session") {
  const std::vector<crypto::SecretKey> keys{crypto::random_key()};
  CookieSessionStore store(keys, "session", 1h);
  CookieSessionStore other(keys, "other", 1h);
  CHECK(other.load(store.save("", "1", keep_cookie, kNow).value(), kNow) == std::nullopt);
  CHECK(store.save("", std::string(3000, 'x'), keep_cookie, kNow));
  CHECK_FALSE(store.save("", std::string(3100, 'x'), keep_cookie, kNow));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("http/cookies/memory_session_store");

TEST_CASE("an id that the client chose is not adopted") {
  MemorySessionStore store;
  const std::string planted = "AAAAAAAAAAAAAAAAAAAAAA";
  for (const Renewal renewal : {keep_cookie, new_cookie}) {
    CHECK(store.save(planted, "1", renewal, kNow).error() == SaveError::gone);
  }
  CHECK(store.size() == 0);
  CHECK(store.load(planted, kNow) == std::nullopt);
}

TEST_CASE("on login the id changes, and the old id becomes invalid") {
  MemorySessionStore store;
  const auto before = store.save("", "guest", keep_cookie, kNow).value();
  CHECK(store.save(before, "cart", keep_cookie, kNow) == before);
  const auto after = store.save(before, "user 7", new_cookie, kNow).value();
  CHECK(after != before);
  CHECK(store.load(before, kNow) == std::nullopt);
  CHECK(store.load(after, kNow) == "user 7");
  CHECK(store.size() == 1);
}

TEST_CASE("use prolongs a session, up to its life time") {
  MemorySessionStore store({.idle_time = 10min, .life_time = 25min});
  const auto cookie = store.save("", "1", keep_cookie, kNow).value();
  CHECK(store.load(cookie, kNow + 9min));
  CHECK(store.load(cookie, kNow + 18min));
  CHECK(store.load(cookie, kNow + 24min));
  CHECK_FALSE(store.load(cookie, kNow + 25min));
  CHECK(store.size() == 0);
}

TEST_CASE("a new id does not prolong the life time of a session") {
  MemorySessionStore store({.life_time = 25min});
  const auto before = store.save("", "1", keep_cookie, kNow).value();
  const auto after = store.save(before, "1", new_cookie, kNow + 20min).value();
  CHECK(store.load(after, kNow + 24min));
  CHECK_FALSE(store.load(after, kNow + 25min));
}

TEST_CASE("a removed session cannot be loaded or saved") {
  MemorySessionStore store;
  const auto cookie = store.save("", "1", keep_cookie, kNow).value();
  store.remove("");
  store.remove("AAAAAAAAAAAAAAAAAAAAAA");
  CHECK(store.load(cookie, kNow));
  store.remove(cookie);
  store.remove(cookie);
  CHECK_FALSE(store.load(cookie, kNow));
  CHECK(store.save(cookie, "2", keep_cookie, kNow).error() == SaveError::gone);  // Another task removed the session.
  CHECK(store.size() == 0);
}

TEST_CASE("memory is bounded: the least recently used session is removed") {
  MemorySessionStore store({.sessions_max = 3});
  const auto a = store.save("", "a", keep_cookie, kNow).value();
  const auto b = store.save("", "b", keep_cookie, kNow + 1s).value();
  const auto c = store.save("", "c", keep_cookie, kNow + 2s).value();
  CHECK(store.load(a, kNow + 3s));
  const auto d = store.save("", "d", keep_cookie, kNow + 4s).value();
  CHECK(store.size() == 3);
  CHECK(store.load(a, kNow + 5s));
  CHECK_FALSE(store.load(b, kNow + 5s));
  CHECK(store.load(c, kNow + 5s));
  CHECK(store.load(d, kNow + 5s));
}

TEST_CASE("data is bounded, and a rejected save leaves the session unchanged") {
  MemorySessionStore store({.data_bytes_max = 4});
  const auto cookie = store.save("", "1234", keep_cookie, kNow).value();
  CHECK_FALSE(store.save(cookie, "12345", new_cookie, kNow));
  CHECK(store.load(cookie, kNow) == "1234");
}

TEST_CASE("sessions that have ended are removed as new sessions are added") {
  MemorySessionStore store({.idle_time = 10min});
  for (int i = 0; i < 100; ++i) store.save("", "1", keep_cookie, kNow);
  for (int i = 0; i < 100; ++i) store.save("", "1", keep_cookie, kNow + 10min);
  CHECK(store.size() == 100);
}

TEST_CASE("ids are 22 bytes of base64url, and differ") {
  MemorySessionStore store;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto cookie = store.save("", "", keep_cookie, kNow).value();
    CHECK(cookie.size() == 22);
    seen.insert(cookie);
  }
  CHECK(seen.size() == 1000);
}

TEST_SUITE_END();
}  // namespace volt::http::cookies
