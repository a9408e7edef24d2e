// SPDX-License-Identifier: MIT

// CommandSpan: the span of a command or a batch, with the attributes of OpenTelemetry's conventions for databases.
//
// Threads: one task at a time.
#pragma once

#include <cstddef>
#include <string_view>

#include "redis/internal/url.h"
#include "tracing/span.h"

namespace volt::redis::internal {

// A child of the current span, if that is recorded.
class CommandSpan {
 public:
  // `name`: of the command, or what the `commands` are together.
  CommandSpan(std::string_view name, std::size_t commands, const Target& target);

  // Records an error; `code` is the server's, or empty.
  void fail(std::string_view code, std::string_view message) noexcept;

 private:
  tracing::Span span_;
};

}  // namespace volt::redis::internal
