// SPDX-License-Identifier: MIT

#include "http/cookies/internal/session_store.h"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <optional>
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

TEST_CASE("a session whose cookie was renewed is not removed for a new one") {
  MemorySessionStore store({.sessions_max = 2, .idle_time = 1h});
  const auto user = store.save("", "user", new_cookie, kNow).value();
  const auto guest = store.save("", "guest", keep_cookie, kNow + 1s).value();
  const auto other = store.save("", "other", keep_cookie, kNow + 2s).value();
  CHECK(store.load(user, kNow + 2s) == "user");
  CHECK_FALSE(store.load(guest, kNow + 2s));
  const auto second = store.save(other, "second user", new_cookie, kNow + 3s).value();
  CHECK(store.save("", "more", keep_cookie, kNow + 4s).error() == SaveError::full);
  CHECK(store.save("", "more", new_cookie, kNow + 4s).error() == SaveError::full);
  CHECK(store.save(second, "changed", keep_cookie, kNow + 4s) == second);
  CHECK(store.size() == 2);
  store.remove(user);
  CHECK(store.save("", "more", keep_cookie, kNow + 5s));
  CHECK(store.size() == 2);
  CHECK(store.save("", "later", keep_cookie, kNow + 3h));  // the others have expired
  CHECK(store.size() == 1);
}

TEST_CASE("a replacement process has the sessions, and the changes that the replaced process makes meanwhile") {
  MemorySessionStore after({.sessions_max = 4, .idle_time = 1h});
  std::optional<MemorySessionStore> before(std::in_place, MemorySessionOptions{.sessions_max = 4, .idle_time = 1h});
  const auto user = before->save("", "user", new_cookie, kNow).value();
  const auto guest = before->save("", "guest", keep_cookie, kNow + 1s).value();
  const auto ended = before->save("", "ended", keep_cookie, kNow + 2s).value();
  const int file = ::dup(before->begin_handover("secret"));
  REQUIRE(file >= 0);
  CHECK(after.inherit(file) == "secret");
  CHECK(after.size() == 3);
  CHECK(after.load(user, kNow + 3s) == "user");
  CHECK(after.load(guest, kNow + 3s) == "guest");

  before->remove(ended);
  CHECK_FALSE(after.load(ended, kNow + 4s));
  const auto renewed = before->save(guest, "second user", new_cookie, kNow + 4s).value();
  CHECK_FALSE(after.load(guest, kNow + 4s));
  CHECK(after.load(renewed, kNow + 4s) == "second user");
  const auto late = before->save("", std::string(16'000, 'x'), keep_cookie, kNow + 4s).value();
  CHECK(after.load(late, kNow + 4s) == std::string(16'000, 'x'));
  const auto own = after.save("", "own", keep_cookie, kNow + 5s).value();
  CHECK(after.size() == 4);
  CHECK(after.save("", "one more", keep_cookie, kNow + 6s));
  CHECK(after.load(user, kNow + 6s) == "user");  // renewed sessions are known as such
  CHECK(after.load(renewed, kNow + 6s) == "second user");
  CHECK_FALSE(after.load(late, kNow + 6s));
  CHECK(after.load(own, kNow + 6s) == "own");
  CHECK_FALSE(after.load(user, kNow + 3h));

  before->end_handover();
  before->remove(renewed);  // the replacement process has failed: nothing is handed over any more
  CHECK(after.load(renewed, kNow + 7s));
  const int second = ::dup(before->begin_handover("secret"));
  before.reset();
  MemorySessionStore third;
  CHECK(third.inherit(second) == "secret");
  CHECK(third.size() == 2);
}

TEST_CASE("what a replacement process has ended does not come back") {
  MemorySessionStore before;
  const auto removed = before.save("", "removed", new_cookie, kNow).value();
  const auto renewed = before.save("", "renewed", keep_cookie, kNow).value();
  MemorySessionStore after;
  CHECK(after.inherit(::dup(before.begin_handover("secret"))) == "secret");
  after.remove(removed);
  const auto login = after.save(renewed, "user", new_cookie, kNow).value();
  // Requests that the replaced process still has.
  CHECK(before.save(removed, "late", keep_cookie, kNow + 1s));
  CHECK(before.save(renewed, "late", keep_cookie, kNow + 1s));
  CHECK_FALSE(after.load(removed, kNow + 2s));
  CHECK_FALSE(after.load(renewed, kNow + 2s));
  CHECK(after.load(login, kNow + 2s) == "user");
  CHECK(after.size() == 1);
}

TEST_CASE("more sessions than one write takes are handed over") {
  MemorySessionStore before({.data_bytes_max = 1 << 20});
  for (int i = 0; i != 5; ++i) CHECK(before.save("", std::string(700'000, 'x'), keep_cookie, kNow));
  MemorySessionStore after({.data_bytes_max = 1 << 20});
  CHECK(after.inherit(::dup(before.begin_handover("secret"))) == "secret");
  CHECK(after.size() == 5);
}

TEST_CASE("a file that is not a log of sessions is not inherited") {
  for (const std::string content : {"", "volt", "volt sessions 2\nabc", "volt sessions 1\n", "volt sessions 1\nabc"}) {
    CAPTURE(content);
    const int file = ::memfd_create("test", MFD_CLOEXEC);
    REQUIRE(::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    MemorySessionStore store;
    CHECK(store.inherit(file).empty());
    CHECK(store.size() == 0);
    CHECK(store.save("", "1", keep_cookie, kNow));
  }
  MemorySessionStore store;
  CHECK(store.inherit(-1).empty());
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
