// SPDX-License-Identifier: MIT

#include "apps/links/upkeep.h"

#include <http/metrics/metrics.h>
#include <http/server/jobs.h>
#include <runtime/log.h>

#include <cstdint>

namespace links {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;

Task<> remove_old(Files files, std::chrono::hours keep, http::Counter removed) {
  const std::size_t count = co_await files.remove_old(keep);
  removed.add(count);
  if (count != 0) volt::log(volt::LogLevel::info, "old files removed", {{"count", count}});
}

Task<bool> responds(volt::sqlite::Pool db) {
  co_await db.execute("select 1");
  co_return true;
}

}  // namespace

void add_upkeep(http::App& app, const volt::sqlite::Pool& db, const Files& files, std::chrono::hours keep) {
  const http::Counter removed = app.metrics().counter("files_removed_total", "Files removed because they were old.");
  app.every(1h, [files, keep, removed] { return remove_old(files, keep, removed); }, {.name = "remove-old-files"});
  app.ready_when("database", [db] { return responds(db); });
}

}  // namespace links
