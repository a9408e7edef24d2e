// SPDX-License-Identifier: MIT

#include "sqlite/internal/query_span.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "sqlite/error.h"

namespace volt::sqlite::internal {
namespace {

// A statement may be long, and is the same for each request: its beginning identifies it.
constexpr std::size_t kTextBytesMax = 1024;

// Returns the first word of a statement, such as `select`.
std::string_view command_of(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n(;"));
}

std::string_view name_of(std::string_view text, std::size_t count) noexcept {
  if (count != 1) return "batch";
  const std::string_view command = command_of(text);
  return command.empty() ? "query" : command;
}

}  // namespace

QuerySpan::QuerySpan(std::string_view text, std::size_t count)
    : span_(name_of(text, count), tracing::SpanKind::client) {
  if (!span_.recording()) return;
  span_.set({"db.system.name", "sqlite"});
  span_.set({"db.query.text", text.substr(0, kTextBytesMax)});
  if (count == 1) {
    span_.set({"db.operation.name", command_of(text)});
  } else {
    span_.set({"db.operation.batch.size", count});
  }
}

void QuerySpan::set_outcomes(const std::vector<Outcome>& outcomes) noexcept {
  if (!span_.recording()) return;
  const auto failed = std::ranges::find_if(outcomes, [](const Outcome& it) { return it.error != nullptr; });
  if (failed == outcomes.end()) return;
  try {
    std::rethrow_exception(failed->error);
  } catch (const std::exception& error) {
    span_.fail(error.what());
  } catch (...) {  // decided: the caller gets the exception; the span says only that there was one
    span_.fail("");
  }
}

std::vector<Rows> rows_of(std::vector<Outcome> outcomes) {
  std::vector<Rows> rows;
  rows.reserve(outcomes.size());
  for (Outcome& outcome : outcomes) {
    if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
    rows.push_back(std::move(outcome.rows));
  }
  return rows;
}

}  // namespace volt::sqlite::internal
