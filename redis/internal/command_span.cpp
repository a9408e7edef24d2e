// SPDX-License-Identifier: MIT

#include "redis/internal/command_span.h"

namespace volt::redis::internal {

CommandSpan::CommandSpan(std::string_view name, std::size_t commands, const Target& target)
    : span_(name, tracing::SpanKind::client) {
  if (!span_.recording()) return;
  span_.set({"db.system.name", "redis"});
  span_.set({"db.operation.name", name});
  if (target.path.empty()) span_.set({"server.address", target.host});
  if (commands > 1) span_.set({"db.operation.batch.size", commands});
}

void CommandSpan::fail(std::string_view code, std::string_view message) noexcept {
  if (!span_.recording()) return;
  if (!code.empty()) {
    span_.set({"db.response.status_code", code});
    span_.set({"error.type", code});
  }
  span_.fail(message);
}

}  // namespace volt::redis::internal
