// SPDX-License-Identifier: MIT

#include "database/reachability.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "runtime/logger.h"

namespace volt::database {
namespace {

// Returns a reason, which may have several lines with an end of line behind the last one, as one line.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
  line.erase(std::ranges::unique(line, both_blank).begin(), line.end());
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

Reachability::Change Reachability::lost(std::string_view reason, std::chrono::nanoseconds now) {
  if (std::exchange(lost_, true)) return {};
  lost_at_ = now;
  return {.kind = Change::Kind::lost, .reason = one_line(reason), .name = name_};
}

Reachability::Change Reachability::reached(std::string_view name, std::chrono::nanoseconds now) {
  name_ = name;
  if (!std::exchange(lost_, false)) return {};
  return {.kind = Change::Kind::back, .lost_for = now - lost_at_, .name = name_};
}

void Reachability::log(const Change& change) const noexcept {
  std::array<LogField, 2> fields;
  std::size_t count = 0;
  switch (change.kind) {
    case Change::Kind::none:
      return;
    case Change::Kind::lost:
      fields[count++] = {"error", change.reason};
      break;
    case Change::Kind::back:
      fields[count++] = {"lost_for", change.lost_for};
      break;
  }
  if (!change.name.empty()) fields[count++] = {peer_.label, change.name};
  const bool lost = change.kind == Change::Kind::lost;
  const Logger log(peer_.module);
  log(lost ? LogLevel::error : LogLevel::info, lost ? peer_.lost : peer_.back, std::span(fields).first(count));
}

}  // namespace volt::database
