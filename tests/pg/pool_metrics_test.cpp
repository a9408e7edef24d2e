// SPDX-License-Identifier: MIT

// Tests of what a pool reports on /metrics.
#include <map>
#include <string>

#include "pg/pool.h"
#include "runtime/metric_sink.h"
#include "tests/pg/database.h"
#include "tests/support/waiting.h"

namespace volt::pg {
namespace {

using namespace test;

// Keeps each value by its name and labels: "volt_pg_connections shop idle". A histogram counts its values.
class Values final : public MetricSink {
 public:
  explicit Values(const Pool& pool) { pool.report_metrics(*this); }

  void take(const Family& family, std::span<const MetricLabel> labels, double value) override {
    values_[key(family, labels)] = value;
  }
  void take(const Family& family, std::span<const MetricLabel> labels, const HistogramValue& value) override {
    double count = 0;
    for (const std::uint64_t in_bucket : value.counts) count += static_cast<double>(in_bucket);
    values_[key(family, labels)] = count;
  }

  [[nodiscard]] double at(const std::string& key) const { return values_.at(key); }

 private:
  static std::string key(const Family& family, std::span<const MetricLabel> labels) {
    std::string text(family.name);
    for (const MetricLabel& label : labels) text.append(" ").append(label.value);
    return text;
  }

  std::map<std::string, double> values_;
};

PoolOptions named(PoolOptions options) {
  options.name = "shop";
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("pg/pool_metrics");

TEST_CASE("a pool reports its connections, transactions and waits") {
  with_pool(named(patient(2)), [](Pool& db) -> Task<> {
    CHECK(Values(db).at("volt_pg_connections shop idle") == 0);
    CHECK(Values(db).at("volt_pg_connections_max shop") == 2);
    const auto one = co_await db.find<int>("select 1");
    CHECK(one == 1);
    CHECK(Values(db).at("volt_pg_connections shop idle") == 1);
    CHECK(Values(db).at("volt_pg_connections shop in_use") == 0);
    const double waits = Values(db).at("volt_pg_wait_seconds shop");
    CHECK(waits == 1);
    {
      Transaction transaction = co_await db.transaction();
      CHECK(Values(db).at("volt_pg_connections shop in_use") == 1);
      CHECK(Values(db).at("volt_pg_transactions shop") == 1);
      co_await transaction.commit();
    }
    CHECK(Values(db).at("volt_pg_wait_seconds shop") == 2);
    for (const char* reason : {"connect", "connection_lost", "acquire_timeout", "queue_full"}) {
      CHECK(Values(db).at(std::string("volt_pg_errors_total shop ") + reason) == 0);
    }
  });
}

TEST_CASE("a pool counts a connection that is lost, and not one that it closes") {
  with_pool(named(patient(2)), [](Pool& db) -> Task<> {
    auto killed = db.find<int>("select pg_terminate_backend(pg_backend_pid())::int");
    const auto error = co_await error_of<Error>(std::move(killed));
    CHECK(error);
    for (int round = 0; round != 600 && Values(db).at("volt_pg_errors_total shop connection_lost") == 0; ++round) {
      co_await sleep_for(10ms);
    }
    CHECK(Values(db).at("volt_pg_errors_total shop connection_lost") == 1);
  });
}

TEST_CASE("a pool counts attempts to connect that fail, and waits that time out") {
  PoolOptions options{.url = "host=127.0.0.1 port=1 user=nobody", .connections_max = 1};
  with_pool(named(std::move(options)), [](Pool& db) -> Task<> {
    auto asked = db.find<int>("select 1");
    const auto refused = co_await error_of<Unavailable>(std::move(asked));
    CHECK(refused);
    CHECK(Values(db).at("volt_pg_errors_total shop connect") == 1);
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
    CHECK(Values(db).at("volt_pg_errors_total shop acquire_timeout") >= 1);
  });
}

TEST_SUITE_END();

}  // namespace volt::pg
