// SPDX-License-Identifier: MIT

// The spans of queries.
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "pg/pool.h"
#include "tests/pg/database.h"
#include "tracing/span.h"

namespace volt::pg {
namespace {

using namespace test;
using tracing::SpanData;
using tracing::SpanStatus;

// The texts among the attributes of a span.
std::map<std::string, std::string> texts_of(const SpanData& span) {
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : span.attributes) {
    if (const auto* text = std::get_if<std::string>(&value)) texts[key] = *text;
  }
  return texts;
}

}  // namespace

TEST_SUITE_BEGIN("pg/trace");

TEST_CASE("queries, batches and transactions have spans, with the text and without the parameters") {
  tracing::Tracer tracer;
  with_pool(patient(2), [&](Pool& db) -> Task<> {
    static_cast<void>(co_await db.find<int>("select 1"));  // without a current span
    const tracing::Span outer(tracer, "outer");
    static_cast<void>(co_await db.find<std::string>("  select $1::text", "secret"));
    Batch batch;
    batch.add("select 1");
    batch.add("select 2");
    static_cast<void>(co_await db.send(std::move(batch)));
    Transaction transaction = co_await db.transaction();
    static_cast<void>(co_await transaction.find<int>("select(3)"));
    co_await transaction.commit();
  });
  const std::vector<SpanData> spans = tracer.take(100);
  REQUIRE(spans.size() == 6);
  const char* const names[] = {"select", "batch", "begin", "select", "commit", "outer"};
  for (std::size_t i = 0; i != 6; ++i) CHECK(spans[i].name == names[i]);
  for (std::size_t i = 0; i != 5; ++i) {
    CHECK(spans[i].parent == spans[5].context.span_id);
    CHECK(spans[i].kind == tracing::SpanKind::client);
    CHECK(spans[i].status == SpanStatus::unset);
    CHECK(texts_of(spans[i])["db.system.name"] == "postgresql");
    for (const auto& [key, text] : texts_of(spans[i])) CHECK_FALSE(text.contains("secret"));
  }
  CHECK(texts_of(spans[0])["db.query.text"] == "  select $1::text");
  CHECK(texts_of(spans[0])["db.operation.name"] == "select");
  CHECK(texts_of(spans[1])["db.query.text"] == "select 1");
  CHECK(texts_of(spans[2])["db.query.text"] == "begin");
}

TEST_CASE("a failed query has its sqlstate, and a long text is cut") {
  tracing::Tracer tracer;
  with_pool(patient(2), [&](Pool& db) -> Task<> {
    const tracing::Span outer(tracer, "outer");
    static_cast<void>(co_await error_of<ServerError>(db.execute("select * from no_such_table")));
    const std::string text = "select '" + std::string(5000, 'x') + "'";
    static_cast<void>(co_await db.find<std::string>(text));
  });
  const std::vector<SpanData> spans = tracer.take(100);
  REQUIRE(spans.size() == 3);
  CHECK(spans[0].status == SpanStatus::error);
  CHECK(texts_of(spans[0])["db.response.status_code"] == "42P01");
  CHECK(texts_of(spans[0])["error.type"] == "42P01");
  CHECK(spans[0].status_message.contains("no_such_table"));
  CHECK(spans[1].status == SpanStatus::unset);
  CHECK(texts_of(spans[1])["db.query.text"].size() == 1024);
}

TEST_SUITE_END();

}  // namespace volt::pg
