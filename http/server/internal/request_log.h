// SPDX-License-Identifier: MIT

// The fields of a request in the log lines of the tasks that work for it: request_id, method, pattern and trace_id.
//
// Threads: add_request_fields() and add_fields() may be called by several threads at once.
#pragma once

#include <string>
#include <string_view>

#include "http/message/method.h"
#include "http/web/request.h"
#include "runtime/log_context.h"

namespace volt::http::server {

// Returns the id in hexadecimal digits; empty if it is zero.
[[nodiscard]] std::string trace_id_text(const Request::TraceId& trace_id);

// Adds the fields of `request`, without those that it does not have.
void add_request_fields(const Request& request, LogContext::Fields& fields) noexcept;

// While it exists, lines of the calling task have the fields of a request that is destroyed, because the connection has
// switched to another protocol.
// Lifetime: the pattern of the request's route must outlive this object.
class UpgradedRequestLog final : public LogContext {
 public:
  explicit UpgradedRequestLog(Request& request) noexcept;
  ~UpgradedRequestLog() { set_log_context(outer_); }
  UpgradedRequestLog(const UpgradedRequestLog&) = delete;
  UpgradedRequestLog& operator=(const UpgradedRequestLog&) = delete;

  void add_fields(Fields& fields) const noexcept override;

 private:
  const LogContext* const outer_ = current_log_context();
  const std::string_view pattern_;
  const std::string id_;
  const Request::TraceId trace_id_;
  const Method method_;
};

}  // namespace volt::http::server
