// SPDX-License-Identifier: MIT

#include "http/server/app.h"

#include <algorithm>

#include "http/metrics/metrics.h"
#include "http/openapi/document.h"
#include "http/openapi/openapi.h"
#include "http/server/app_hooks.h"
#include "http/server/readiness_checks.h"

namespace volt::http {

App::App() : App(std::make_unique<AppDefinition>()) {}

App::App(std::unique_ptr<AppDefinition> definition) : Group(*definition, 0), definition_(std::move(definition)) {
  definition_->hooks = std::make_shared<AppHooks>();
  definition_->metrics = std::make_shared<MetricRegistry>();
}

App& App::background(std::move_only_function<Task<>()> function, std::source_location where) {
  definition_->hooks->background.push_back({std::move(function), where});
  return *this;
}

App& App::on_listen(std::move_only_function<void(const Address&)> function) {
  definition_->hooks->listening.push_back(std::move(function));
  return *this;
}

App& App::before_listen(std::move_only_function<Task<>()> step, std::source_location where) {
  definition_->hooks->before_listen.push_back({std::move(step), where});
  return *this;
}

bool App::has_steps_before_listen() const noexcept { return !definition_->hooks->before_listen.empty(); }

App& App::after_drain(std::move_only_function<Task<>()> step, std::chrono::milliseconds limit,
                      std::source_location where) {
  definition_->hooks->after_drain.push_back({std::move(step), where, limit});
  return *this;
}

App& App::ready_when(std::string name, std::move_only_function<Task<bool>()> check, ReadyOptions options) {
  definition_->hooks->readiness.push_back(
      std::make_shared<server::ReadinessCheck>(std::move(name), std::move(check), options));
  return *this;
}

void App::add_state_metrics(void (*report)(const message::TypedStore& state, MetricSink& sink)) {
  auto& all = definition_->state_metrics;
  if (std::ranges::find(all, report) == all.end()) all.push_back(report);
}

App& App::openapi(PatternFor<Handler> pattern, OpenApiOptions options) {
  auto text = std::make_shared<std::string>();
  definition_->when_complete.emplace_back([text, options = std::move(options)](const AppDefinition& definition) {
    *text = openapi::document(definition, options);
  });
  get(pattern, Handler([text] { return Response::json(*text); })).hidden();
  return *this;
}

std::string App::openapi(const OpenApiOptions& options) const { return openapi::document(*definition_, options); }

}  // namespace volt::http
