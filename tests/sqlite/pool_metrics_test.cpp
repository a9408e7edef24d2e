// SPDX-License-Identifier: MIT

// Tests of what a pool reports on /metrics.
#include <string>

#include "sqlite/pool.h"
#include "tests/sqlite/database.h"
#include "tests/support/reported_metrics.h"

namespace volt::sqlite {
namespace {

using namespace test;
using volt::test::ReportedMetrics;

}  // namespace

TEST_SUITE_BEGIN("sqlite/pool_metrics");

TEST_CASE("a pool reports its connections, transactions, waits and failures") {
  with_file(
      [](Pool db, PoolOptions options) -> Task<> {
        CHECK(ReportedMetrics(db).at("volt_sqlite_connections shop idle") == 1);
        CHECK(ReportedMetrics(db).at("volt_sqlite_connections_max shop") == 5);
        const auto one = co_await db.find<int>("select 1");
        CHECK(one == 1);
        CHECK(ReportedMetrics(db).at("volt_sqlite_connections shop idle") == 2);
        CHECK(ReportedMetrics(db).at("volt_sqlite_wait_seconds shop") == 1);
        {
          const Transaction transaction = co_await db.transaction();
          CHECK(ReportedMetrics(db).at("volt_sqlite_connections shop in_use") == 1);
          CHECK(ReportedMetrics(db).at("volt_sqlite_transactions shop") == 1);
          const auto refused = co_await error_of<Unavailable>(db.execute("create table a (id int)"));
          CHECK(refused);
        }
        {
          const Pool other(options);
          const Transaction transaction = co_await other.transaction();
          const auto locked = co_await error_of<Busy>(db.execute("create table a (id int)"));
          CHECK(locked);
        }
        const std::pair<const char*, double> failures[] = {{"open", 0},       {"busy", 1},    {"acquire_timeout", 1},
                                                           {"queue_full", 0}, {"storage", 0}, {"query_timeout", 0},
                                                           {"corrupt", 0}};
        for (const auto& [reason, count] : failures) {
          CAPTURE(reason);
          CHECK(ReportedMetrics(db).at(std::string("volt_sqlite_errors_total shop ") + reason) == count);
        }
      },
      [](PoolOptions& options) {
        options.name = "shop";
        options.acquire_timeout = 20ms;
        options.busy_timeout = 20ms;
      });
}

TEST_SUITE_END();

}  // namespace volt::sqlite
