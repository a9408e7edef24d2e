// SPDX-License-Identifier: MIT

// OtlpJson: composes an ExportTraceServiceRequest of OTLP in JSON (the protobuf JSON mapping, with the ids in
// hexadecimal digits, and the numbers of enumerators).
//
// Threads: a value.
#pragma once

#include <cstddef>
#include <string>

#include "tracing/span_data.h"
#include "tracing/tracer.h"

namespace volt::http::otlp {

class OtlpJson {
 public:
  // Begins a document with the resource of the tracer.
  explicit OtlpJson(const tracing::TracerOptions& options);

  void add(const tracing::SpanData& span);
  [[nodiscard]] std::size_t size_bytes() const noexcept { return text_.size(); }
  [[nodiscard]] std::string take() &&;

 private:
  std::string text_;
  bool is_first_ = true;
};

}  // namespace volt::http::otlp
