// SPDX-License-Identifier: MIT

#include "database/reachability.h"

#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "runtime/log.h"
#include "tests/pg/database.h"

namespace volt::pg {
namespace {

using namespace test;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// A path to the folder of the database's unix socket, which can be cut.
class Road {
 public:
  explicit Road(std::string target) : target_(std::move(target)) {
    char folder[] = "/tmp/volt_road_XXXXXX";
    REQUIRE(::mkdtemp(folder) != nullptr);
    folder_ = folder;
  }
  ~Road() {
    cut();
    ::rmdir(folder_.c_str());
  }
  Road(const Road&) = delete;
  Road& operator=(const Road&) = delete;

  [[nodiscard]] std::string path() const { return folder_ + "/road"; }
  void open() const { REQUIRE(::symlink(target_.c_str(), path().c_str()) == 0); }
  void cut() const { ::unlink(path().c_str()); }

 private:
  std::string target_;
  std::string folder_;
};

// The folder in the connection string that tests/support/private_postgres.py makes.
std::string socket_folder(const std::string& from) {
  const std::size_t begin = from.find("host=") + 5;
  return from.substr(begin, from.find('&', begin) - begin);
}

Task<> fail_often(Pool& db) {
  for (int i = 0; i != 5; ++i) {
    co_await error_of<Unavailable>(db.execute("select 1"));
    co_await sleep_for(5ms);
  }
}

// Repeats a query until it succeeds. Returns false if this does not happen in time.
Task<bool> comes_back(Pool& db) {
  for (int round = 0; round != 1200; ++round) {
    try {
      co_await db.execute("select 1");
      co_return true;
    } catch (const Unavailable&) {
    }
    co_await sleep_for(5ms);
  }
  co_return false;
}

}  // namespace

TEST_SUITE_BEGIN("pg/reachability");

TEST_CASE("the log says once that the database is lost, and once that it is back") {
  std::string logged;
  RuntimeOptions options = test_options();
  options.log =
      std::make_shared<Log>(LogOptions{.flush_timeout = 60s, .sink = [&](std::string_view lines) { logged += lines; }});
  const std::string folder = socket_folder(url());
  const Road road(folder);
  {
    Runtime runtime(std::move(options));
    runtime.block_on([&]() -> Task<> {
      PoolOptions pool_options = patient(2);
      pool_options.url.replace(pool_options.url.find(folder), folder.size(), road.path());
      pool_options.backoff_min = pool_options.backoff_max = 1ms;
      Pool db(std::move(pool_options));
      Pool other(patient(1));
      co_await fail_often(db);
      road.open();
      const bool reached = co_await comes_back(db);
      CHECK(reached);

      road.cut();
      const int pid = co_await backend(db);
      co_await other.execute("select pg_terminate_backend($1)", pid);
      while (db.state().connections != 0) co_await sleep_for(1ms);
      co_await fail_often(db);
      road.open();
      const bool reached_again = co_await comes_back(db);
      CHECK(reached_again);
    });
  }
  CAPTURE(logged);
  CHECK(count(logged, " error lost the database error=") == 2);
  CHECK(count(logged, " info the database is back lost_for=") == 2);
  CHECK(count(logged, " module=pg\n") == 4);
  CHECK(count(logged, " database=" + road.path()) == 3);  // the first line names it only in the error
  CHECK(count(logged, "\\u00") == 0);
}

TEST_CASE("a connection that ends, and the end of the pool, are no loss") {
  std::string logged;
  RuntimeOptions options = test_options();
  options.log =
      std::make_shared<Log>(LogOptions{.flush_timeout = 60s, .sink = [&](std::string_view lines) { logged += lines; }});
  {
    Runtime runtime(std::move(options));
    runtime.block_on([&]() -> Task<> {
      Pool db(patient(1));
      Pool other(patient(1));
      for (int i = 0; i != 3; ++i) {
        const int pid = co_await backend(db);
        co_await other.execute("select pg_terminate_backend($1)", pid);
        while (db.state().connections != 0) co_await sleep_for(1ms);
      }
    });
  }
  CHECK(logged.empty());
}

TEST_SUITE_END();
}  // namespace volt::pg
