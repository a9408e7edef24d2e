// SPDX-License-Identifier: MIT

#include "pg/internal/query_span.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

#include "pg/error.h"

namespace volt::pg::internal {
namespace {

// A statement may be long, and is the same for each request: its beginning identifies it.
constexpr std::size_t kTextBytesMax = 1024;
constexpr std::string_view kSpace = " \t\r\n";

// Returns the first word of a statement, such as `select`.
std::string_view command_of(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n(;"));
}

std::string_view name_of(std::span<const Query> queries) noexcept {
  if (queries.size() != 1) return "batch";
  const std::string_view command = command_of(queries.front().text);
  return command.empty() ? "query" : command;
}

}  // namespace

QuerySpan::QuerySpan(std::span<const Query> queries) : span_(name_of(queries), tracing::SpanKind::client) {
  if (!span_.recording() || queries.empty()) return;
  span_.set({"db.system.name", "postgresql"});
  span_.set({"db.query.text", queries.front().text.substr(0, kTextBytesMax)});
  if (queries.size() == 1) {
    span_.set({"db.operation.name", command_of(queries.front().text)});
  } else {
    span_.set({"db.operation.batch.size", queries.size()});
  }
}

void QuerySpan::set_outcomes(const std::vector<Outcome>& outcomes) noexcept {
  if (!span_.recording()) return;
  const auto failed = std::ranges::find_if(outcomes, [](const Outcome& it) { return it.error != nullptr; });
  if (failed == outcomes.end()) return;
  try {
    std::rethrow_exception(failed->error);
  } catch (const ServerError& error) {
    span_.set({"db.response.status_code", error.sqlstate()});
    span_.set({"error.type", error.sqlstate()});
    span_.fail(error.what());
  } catch (const std::exception& error) {
    span_.fail(error.what());
  } catch (...) {  // decided: the caller gets the exception; the span says only that there was one
    span_.fail("");
  }
}

}  // namespace volt::pg::internal
