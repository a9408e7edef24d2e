// SPDX-License-Identifier: MIT

// Exporter: takes spans from a tracer and sends them to a collector (http/tracing/otlp.h).
//
// A request is kept until the collector has accepted it: if the server stops while it is sent, it is sent once more. So
// a collector may get spans twice, which have the same ids.
//
// Threads: one task. Lifetime: that of its coroutine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/client.h"
#include "http/tracing/otlp.h"
#include "runtime/base/atomic.h"
#include "tracing/span_data.h"
#include "tracing/tracer.h"

namespace volt::http::otlp {

// The result of an attempt to send.
struct Attempt {
  enum class Result : std::uint8_t { accepted, refused, later };  // later: the collector may accept it in a while

  Result result = Result::later;
  std::chrono::nanoseconds retry_after{0};  // 0: the collector named no time
  std::string error;                        // empty if accepted
  std::uint64_t rejected = 0;               // spans that an accepting collector has rejected
};

// Returns the count in `{"partialSuccess":{"rejectedSpans":"2"}}`, and 0 for anything else.
[[nodiscard]] std::uint64_t rejected_spans(std::string_view body);

class Exporter {
 public:
  // Throws like export_traces().
  Exporter(std::shared_ptr<tracing::Tracer> tracer, OtlpOptions options);

  // Sends spans until the task is cancelled, and then what is left.
  [[nodiscard]] Task<> run();

 private:
  [[nodiscard]] Task<> export_batches();
  [[nodiscard]] Task<> send_all();
  [[nodiscard]] Task<> send_request();
  [[nodiscard]] Task<Attempt> attempt();
  [[nodiscard]] Task<> flush();
  [[nodiscard]] Task<> send_rest();

  [[nodiscard]] ClientRequest request() const;
  void compose();
  void end_request(const Attempt& attempt);
  void drop_request(const std::string& why);
  void log_failure(const std::string& why);
  [[nodiscard]] std::chrono::nanoseconds pause(const Attempt& attempt, std::uint32_t attempts) const;

  const std::shared_ptr<tracing::Tracer> tracer_;
  const OtlpOptions options_;
  HttpClient client_;
  std::vector<tracing::SpanData> taken_;  // of which the first `next_` are in requests
  std::size_t next_ = 0;
  std::string body_;            // of the request that is being sent; empty: none is
  std::size_t body_spans_ = 0;  // in `body_`
  bool failing_ = false;        // it was logged that the collector fails
  base::Atomic<bool> flush_over_{false};
};

}  // namespace volt::http::otlp
