// SPDX-License-Identifier: MIT

// Tests of what a pool reports on /metrics.
#include <string>

#include "pg/pool.h"
#include "tests/pg/database.h"
#include "tests/support/reported_metrics.h"
#include "tests/support/waiting.h"

namespace volt::pg {
namespace {

using namespace test;
using volt::test::ReportedMetrics;

PoolOptions named(PoolOptions options) {
  options.name = "shop";
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("pg/pool_metrics");

TEST_CASE("a pool reports its connections, transactions and waits") {
  with_pool(named(patient(2)), [](Pool& db) -> Task<> {
    CHECK(ReportedMetrics(db).at("volt_pg_connections shop idle") == 0);
    CHECK(ReportedMetrics(db).at("volt_pg_connections_max shop") == 2);
    const auto one = co_await db.find<int>("select 1");
    CHECK(one == 1);
    CHECK(ReportedMetrics(db).at("volt_pg_connections shop idle") == 1);
    CHECK(ReportedMetrics(db).at("volt_pg_connections shop in_use") == 0);
    const double waits = ReportedMetrics(db).at("volt_pg_wait_seconds shop");
    CHECK(waits == 1);
    {
      Transaction transaction = co_await db.transaction();
      CHECK(ReportedMetrics(db).at("volt_pg_connections shop in_use") == 1);
      CHECK(ReportedMetrics(db).at("volt_pg_transactions shop") == 1);
      co_await transaction.commit();
    }
    CHECK(ReportedMetrics(db).at("volt_pg_wait_seconds shop") == 2);
    for (const char* reason : {"connect", "connection_lost", "acquire_timeout", "queue_full"}) {
      CHECK(ReportedMetrics(db).at(std::string("volt_pg_errors_total shop ") + reason) == 0);
    }
  });
}

TEST_CASE("a pool counts a connection that is lost, and not one that it closes") {
  with_pool(named(patient(2)), [](Pool& db) -> Task<> {
    auto killed = db.find<int>("select pg_terminate_backend(pg_backend_pid())::int");
    const auto error = co_await error_of<Error>(std::move(killed));
    CHECK(error);
    for (int round = 0; round != 600 && ReportedMetrics(db).at("volt_pg_errors_total shop connection_lost") == 0;
         ++round) {
      co_await sleep_for(10ms);
    }
    CHECK(ReportedMetrics(db).at("volt_pg_errors_total shop connection_lost") == 1);
  });
}

TEST_CASE("a pool counts attempts to connect that fail, and waits that time out") {
  PoolOptions options{.url = "host=127.0.0.1 port=1 user=nobody", .connections_max = 1};
  with_pool(named(std::move(options)), [](Pool& db) -> Task<> {
    auto asked = db.find<int>("select 1");
    const auto refused = co_await error_of<Unavailable>(std::move(asked));
    CHECK(refused);
    CHECK(ReportedMetrics(db).at("volt_pg_errors_total shop connect") == 1);
  });
  PoolOptions short_wait = patient(1);
  short_wait.acquire_timeout = 10ms;
  short_wait.waiting_max = 1;
  with_pool(named(std::move(short_wait)), [](Pool& db) -> Task<> {
    bool timed_out = false;
    for (int round = 0; round != 1000 && !timed_out; ++round) {  // until the connection is open, and then held
      try {
        const Transaction holding = co_await db.transaction();
        auto asked = db.find<int>("select 1");
        const auto refused = co_await error_of<Unavailable>(std::move(asked));
        timed_out = refused.has_value();
      } catch (const Unavailable&) {  // retry: the connection may be open by then
      }
    }
    CHECK(timed_out);
    CHECK(ReportedMetrics(db).at("volt_pg_errors_total shop acquire_timeout") >= 1);
  });
}

TEST_SUITE_END();

}  // namespace volt::pg
