// SPDX-License-Identifier: MIT

#include "http/server/app.h"

#include <algorithm>
#include <expected>

#include "http/metrics/metrics.h"
#include "http/openapi/document.h"
#include "http/openapi/openapi.h"
#include "http/openapi/page.h"
#include "http/server/app_hooks.h"
#include "http/server/internal/job.h"
#include "http/server/jobs.h"
#include "http/server/readiness_checks.h"

namespace volt::http {
namespace {

std::string place_of(const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file).append(":").append(std::to_string(where.line()));
}

}  // namespace

App::App() : App(std::make_unique<AppDefinition>()) {}

App::App(std::unique_ptr<AppDefinition> definition) : Group(*definition, 0), definition_(std::move(definition)) {
  definition_->hooks = std::make_shared<AppHooks>();
  definition_->metrics = std::make_shared<MetricRegistry>();
}

App& App::background(std::move_only_function<Task<>()> function, std::source_location where) {
  definition_->hooks->background.push_back({std::move(function), where});
  return *this;
}

App& App::every(std::chrono::nanoseconds period, Job job, std::source_location where) {
  return every(period, std::move(job), JobOptions(), where);
}

App& App::every(std::chrono::nanoseconds period, Job job, JobOptions options, std::source_location where) {
  if (period <= std::chrono::nanoseconds(0)) {
    definition_->mistakes.push_back("job (" + place_of(where) + "): the period must be positive");
    return *this;
  }
  const auto shared = add_job(std::move(job), std::move(options), where);
  return background([shared, period] { return server::Job::run_every(shared, period); }, where);
}

App& App::cron(std::string_view times, Job job, std::source_location where) {
  return cron(times, std::move(job), JobOptions(), where);
}

App& App::cron(std::string_view times, Job job, JobOptions options, std::source_location where) {
  const std::expected<Cron, std::string> cron = Cron::parse(times);
  if (!cron) {
    definition_->mistakes.push_back("job (" + place_of(where) + "): " + cron.error());
    return *this;
  }
  const auto shared = add_job(std::move(job), std::move(options), where);
  return background([shared, cron = *cron] { return server::Job::run_at(shared, cron); }, where);
}

std::shared_ptr<server::Job> App::add_job(Job function, JobOptions options, const std::source_location& where) {
  if (options.name.empty()) options.name = place_of(where);
  auto job = std::make_shared<server::Job>(std::move(function), std::move(options));
  definition_->metrics->add(job);
  return job;
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

App& App::trailing_slash(TrailingSlash policy) noexcept {
  definition_->trailing_slash = policy;
  return *this;
}

App& App::ops(std::string address) {
  definition_->ops = std::move(address);
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
  std::string& path = definition_->hooks->openapi_path;
  if (path.empty()) path = pattern.text();
  get(pattern, Handler([text] { return Response::json(*text); })).hidden();
  return *this;
}

App& App::openapi_page(PatternFor<Handler> pattern) {
  auto page = std::make_shared<openapi::Page>();
  definition_->when_complete.emplace_back([page, path = std::string(pattern.text())](const AppDefinition& definition) {
    *page = openapi::compose_page(path, definition.hooks->openapi_path);
  });
  get(pattern, Handler([page] { return openapi::respond(*page); })).hidden();
  return *this;
}

std::string App::openapi(const OpenApiOptions& options) const { return openapi::document(*definition_, options); }

}  // namespace volt::http
