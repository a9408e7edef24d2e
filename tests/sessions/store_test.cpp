// SPDX-License-Identifier: MIT

// The suite that each SessionStore must pass, run with each of them on real servers.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "http/cookies/memory_sessions.h"
#include "pg/options.h"
#include "redis/options.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "runtime/wall_clock.h"
#include "sessions/pg_sessions.h"
#include "sessions/redis_sessions.h"
#include "sessions/sqlite_sessions.h"
#include "sqlite/sqlite.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"

namespace volt::sessions {
namespace {

using namespace std::chrono_literals;
using http::SessionStore;
using http::cookies::Renewal;
using http::cookies::SaveError;

constexpr std::size_t kDataBytesMax = 1000;

// On a busy machine, the first connection can take longer than the pools wait by default.
template <class Options>
Options patient(Options options) {
  options.acquire_timeout = 30s;
  return options;
}

struct Kind {
  const char* name;
  std::function<Task<std::shared_ptr<SessionStore>>(std::chrono::seconds)> make;
};

Task<std::shared_ptr<SessionStore>> in_memory(std::chrono::seconds idle_time) {
  co_return std::make_shared<http::MemorySessions>(
      http::MemorySessionsOptions{.data_bytes_max = kDataBytesMax, .idle_time = idle_time});
}

Task<std::shared_ptr<SessionStore>> in_redis(std::chrono::seconds idle_time) {
  co_return std::make_shared<RedisSessions>(redis::Pool(patient(redis::options_from_environment())),
                                            StoreOptions{idle_time, kDataBytesMax});
}

Task<std::shared_ptr<SessionStore>> in_postgres(std::chrono::seconds idle_time) {
  const pg::Pool db(patient(pg::options_from_environment()));
  const auto create = [&] { return PgSessions::create_table(db); };
  co_await all(create, create);  // as two processes do that start together
  co_return std::make_shared<PgSessions>(db, StoreOptions{idle_time, kDataBytesMax});
}

struct SqliteStore {
  explicit SqliteStore(std::chrono::seconds idle_time) : sessions(db, StoreOptions{idle_time, kDataBytesMax}) {}

  volt::test::Directory folder;
  sqlite::Pool db{{.path = (folder.path() / "sessions.db").string(), .synchronous = sqlite::Synchronous::normal}};
  SqliteSessions sessions;
};

Task<std::shared_ptr<SessionStore>> in_sqlite(std::chrono::seconds idle_time) {
  const auto store = std::make_shared<SqliteStore>(idle_time);
  const auto create = [&] { return SqliteSessions::create_table(store->db); };
  co_await all(create, create);
  co_return std::shared_ptr<SessionStore>(store, &store->sessions);
}

const Kind kKinds[] = {{"memory", in_memory}, {"Redis", in_redis}, {"PostgreSQL", in_postgres}, {"SQLite", in_sqlite}};

// Runs the coroutine `body(store)` with each store.
template <class Body>
void with_each(std::chrono::seconds idle_time, Body body) {
  REQUIRE_MESSAGE(std::getenv("REDIS_URL") != nullptr, "run the tests with tests/support/private_redis.py");
  REQUIRE_MESSAGE(std::getenv("DATABASE_URL") != nullptr, "and with tests/support/private_postgres.py");
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.name);
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      const std::shared_ptr<SessionStore> store = co_await kind.make(idle_time);
      co_await body(*store);
    });
  }
}

// As with_each(), but with all stores at once, for tests that wait.
template <class Body>
void with_all_at_once(std::chrono::seconds idle_time, Body body) {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    const auto run = [&](const Kind& kind) -> Task<> {
      const std::shared_ptr<SessionStore> store = co_await kind.make(idle_time);
      co_await body(*store);
    };
    const auto memory = [&] { return run(kKinds[0]); };
    const auto redis = [&] { return run(kKinds[1]); };
    const auto postgres = [&] { return run(kKinds[2]); };
    const auto sqlite = [&] { return run(kKinds[3]); };
    co_await all(memory, redis, postgres, sqlite);
  });
}

Task<std::string> created(SessionStore& store, std::string data) {
  const auto cookie = co_await store.save("", std::move(data), Renewal::keep_cookie);
  REQUIRE(cookie.has_value());
  co_return *cookie;
}

}  // namespace

TEST_SUITE_BEGIN("sessions/store");

TEST_CASE("a session is created, loaded and changed under its cookie") {
  with_each(1h, [](SessionStore& store) -> Task<> {
    const std::string first = co_await created(store, R"({"user":1})");
    const std::string second = co_await created(store, R"({"user":2})");
    CHECK(first != second);
    CHECK(first.size() >= 22);  // 128 bits as base64url
    const auto loaded = co_await store.load(first);
    CHECK(loaded == R"({"user":1})");
    const auto kept = co_await store.save(first, R"({"user":3})", Renewal::keep_cookie);
    CHECK(kept == first);
    const auto changed = co_await store.load(first);
    CHECK(changed == R"({"user":3})");
    const auto other = co_await store.load(second);
    CHECK(other == R"({"user":2})");
  });
}

TEST_CASE("a renewed session has another cookie, and the old one is unknown") {
  with_each(1h, [](SessionStore& store) -> Task<> {
    const std::string old = co_await created(store, "before");
    const auto renewed = co_await store.save(old, "after", Renewal::new_cookie);
    REQUIRE(renewed.has_value());
    CHECK(*renewed != old);
    const auto by_old = co_await store.load(old);
    CHECK(!by_old);
    const auto by_new = co_await store.load(*renewed);
    CHECK(by_new == "after");
    const auto again = co_await store.save(old, "attack", Renewal::keep_cookie);
    CHECK(again == std::unexpected(SaveError::gone));
    const auto also = co_await store.save(old, "attack", Renewal::new_cookie);
    CHECK(also == std::unexpected(SaveError::gone));
  });
}

TEST_CASE("cookies that the store has not made are unknown, and no session is created for them") {
  with_each(1h, [](SessionStore& store) -> Task<> {
    for (const std::string cookie : {"x", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                                     "%%%%%%%%%%%%%%%%%%%%%%", "'; drop table volt_session; --"}) {
      const auto loaded = co_await store.load(cookie);
      const auto kept = co_await store.save(cookie, "planted", Renewal::keep_cookie);
      const auto renewed = co_await store.save(cookie, "planted", Renewal::new_cookie);
      co_await store.remove(cookie);
      const auto still = co_await store.load(cookie);
      CAPTURE(cookie);
      CHECK(!loaded);
      CHECK(kept == std::unexpected(SaveError::gone));
      CHECK(renewed == std::unexpected(SaveError::gone));
      CHECK(!still);
    }
  });
}

TEST_CASE("a removed session is not created again by a concurrent request") {
  with_each(1h, [](SessionStore& store) -> Task<> {
    const std::string cookie = co_await created(store, "data");
    co_await store.remove(cookie);
    const auto loaded = co_await store.load(cookie);
    CHECK(!loaded);
    const auto late = co_await store.save(cookie, "late", Renewal::keep_cookie);
    CHECK(late == std::unexpected(SaveError::gone));
    co_await store.remove(cookie);  // twice does no harm
    for (int round = 0; round != 20; ++round) {
      const std::string contended = co_await created(store, "data");
      const auto save = [&] { return store.save(contended, "saved", Renewal::keep_cookie); };
      const auto remove = [&] { return store.remove(contended); };
      co_await all(save, remove);
      const auto after = co_await store.load(contended);
      CHECK(!after);
    }
  });
}

TEST_CASE("of concurrent renewals of one session exactly one succeeds, and of changes the last one stays") {
  with_each(1h, [](SessionStore& store) -> Task<> {
    for (int round = 0; round != 20; ++round) {
      const std::string cookie = co_await created(store, "data");
      const auto renew = [&] { return store.save(cookie, "renewed", Renewal::new_cookie); };
      const auto [a, b, c] = co_await all(renew, renew, renew);
      CHECK(int{a.has_value()} + int{b.has_value()} + int{c.has_value()} == 1);
      for (const auto& one : {a, b, c}) {
        if (one) CHECK(*one != cookie);
        if (!one) CHECK(one.error() == SaveError::gone);
      }
      const std::string changed = co_await created(store, "data");
      const auto write = [&] { return store.save(changed, "changed", Renewal::keep_cookie); };
      co_await all(write, write);
      const auto after = co_await store.load(changed);
      CHECK(after == "changed");
    }
  });
}

TEST_CASE("a session ends when it is unused for the idle time") {
  with_all_at_once(1s, [](SessionStore& store) -> Task<> {
    const std::string cookie = co_await created(store, "data");
    bool ended = false;
    for (int wait = 2; !ended && wait != 8; ++wait) {  // loading counts as a use, so the waits grow
      co_await sleep_for(std::chrono::seconds(wait));
      const auto loaded = co_await store.load(cookie);
      ended = !loaded.has_value();
    }
    CHECK(ended);
    const auto late = co_await store.save(cookie, "late", Renewal::keep_cookie);
    CHECK(late == std::unexpected(SaveError::gone));
    const std::string next = co_await created(store, "next");  // deletes what has expired
    const auto loaded = co_await store.load(next);
    CHECK(loaded == "next");
  });
}

TEST_CASE("loading postpones the end of a session") {
  with_all_at_once(4s, [](SessionStore& store) -> Task<> {
    bool postponed = false;
    for (int attempt = 0; !postponed && attempt != 5; ++attempt) {  // a loaded machine may sleep for too long
      const std::string cookie = co_await created(store, "data");
      co_await sleep_for(2500ms);
      static_cast<void>(co_await store.load(cookie));
      co_await sleep_for(2500ms);
      const auto loaded = co_await store.load(cookie);
      postponed = loaded.has_value();
    }
    CHECK(postponed);
  });
}

TEST_CASE("data beyond the limit is refused, and the session stays as it was") {
  with_each(1h, [](SessionStore& store) -> Task<> {
    const std::string most(kDataBytesMax, 'x');
    const std::string cookie = co_await created(store, most);
    const auto loaded = co_await store.load(cookie);
    CHECK(loaded == most);
    const auto beyond = co_await store.save(cookie, most + "x", Renewal::keep_cookie);
    CHECK(beyond == std::unexpected(SaveError::too_long));
    const auto fresh = co_await store.save("", most + "x", Renewal::keep_cookie);
    CHECK(fresh == std::unexpected(SaveError::too_long));
    const auto still = co_await store.load(cookie);
    CHECK(still == most);
  });
}

TEST_CASE("the stores keep no cookies") {
  with_each(1h, [](SessionStore& store) -> Task<> {
    const std::string cookie = co_await created(store, "data");
    const redis::Pool redis(redis::options_from_environment());
    const redis::Reply keys = co_await redis.command("KEYS", "*");
    for (const redis::Reply& key : keys.elements) CHECK(key.text.find(cookie) == std::string::npos);
    const pg::Pool db(patient(pg::options_from_environment()));
    co_await PgSessions::create_table(db);
    const auto rows = co_await db.find<std::int64_t>("select count(*) from volt_session where name = $1", cookie);
    CHECK(rows == 0);
  });
}

TEST_CASE("a session in SQLite is written when half its idle time is over, and new ones delete those that expired") {
  RuntimeOptions options = test_options();
  options.manual_clock = true;
  Runtime runtime(options);
  runtime.block_on([]() -> Task<> {
    SqliteStore file(1h);
    co_await SqliteSessions::create_table(file.db);
    const auto count = [&file](std::string condition) -> Task<std::int64_t> {
      const auto rows = co_await file.db.find<std::int64_t>("select count(*) from volt_session where " + condition);
      co_return rows.value();
    };
    const std::string used = co_await created(file.sessions, "used");
    const std::string other_name = "name <> '" + used + "'";
    const std::int64_t begun = co_await count(other_name);  // the file contains no cookie
    CHECK(begun == 1);
    for (int i = 0; i != 24; ++i) co_await created(file.sessions, "unused");
    constexpr auto kRenewed = "expires > (select min(expires) from volt_session) + 60000";
    set_wall_clock(wall_now() + 20min);
    const auto early = co_await file.sessions.load(used);
    CHECK(early == "used");
    const std::int64_t renewed_early = co_await count(kRenewed);
    CHECK(renewed_early == 0);
    set_wall_clock(wall_now() + 20min);
    const auto later = co_await file.sessions.load(used);
    CHECK(later == "used");
    const std::int64_t renewed = co_await count(kRenewed);
    CHECK(renewed == 1);
    set_wall_clock(wall_now() + 50min);  // 24 have expired
    const auto still = co_await file.sessions.load(used);
    CHECK(still == "used");
    for (const std::int64_t left : {16, 7, 4, 5}) {
      co_await created(file.sessions, "new");
      const std::int64_t rows = co_await count("true");
      CHECK(rows == left);
    }
  });
}

TEST_CASE("sessions in SQLite survive their pool") {
  const volt::test::Directory folder;
  const std::string path = (folder.path() / "sessions.db").string();
  std::string cookie;
  for (const bool first : {true, false}) {
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      const sqlite::Pool db({.path = path});
      co_await SqliteSessions::create_table(db);
      SqliteSessions sessions(db);
      if (first) cookie = co_await created(sessions, "data");
      const auto loaded = co_await sessions.load(cookie);
      CHECK(loaded == "data");
    });
  }
}

TEST_SUITE_END();

}  // namespace volt::sessions
