// SPDX-License-Identifier: MIT

#include "http/tracing/otlp.h"

#include "http/tracing/internal/exporter.h"

namespace volt::http {

std::move_only_function<Task<>()> export_traces(std::shared_ptr<tracing::Tracer> tracer, OtlpOptions options) {
  auto exporter = std::make_unique<otlp::Exporter>(std::move(tracer), std::move(options));
  return [exporter = std::move(exporter)] { return exporter->run(); };
}

}  // namespace volt::http
