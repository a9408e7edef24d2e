// SPDX-License-Identifier: MIT

#include "http/web/group.h"

#include <stdexcept>
#include <system_error>

#include "http/web/internal/mount.h"

namespace volt::http {
namespace {

std::string origin_of(std::source_location where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file).append(":").append(std::to_string(where.line()));
}

}  // namespace

Route& Route::summary(std::string text) {
  metadata().summary = std::move(text);
  return *this;
}

Route& Route::description(std::string text) {
  metadata().description = std::move(text);
  return *this;
}

Route& Route::operation_id(std::string id) {
  metadata().operation_id = std::move(id);
  return *this;
}

Route& Route::tag(std::string name) {
  metadata().tags.push_back(std::move(name));
  return *this;
}

Route& Route::deprecated() {
  metadata().deprecated = true;
  return *this;
}

Route& Route::hidden() {
  metadata().hidden = true;
  return *this;
}

Route& Route::responses(Status status, std::string description) {
  metadata().responses.emplace_back(status, std::move(description));
  return *this;
}

Route& Route::heavy() noexcept {
  definition_->routes[index_].weight = AppDefinition::Weight::heavy;
  return *this;
}

Route& Route::light() noexcept {
  definition_->routes[index_].weight = AppDefinition::Weight::light;
  return *this;
}

Group Group::group(std::string_view prefix, std::source_location where) {
  const AppDefinition::Group& outer = definition_->groups[index_];
  if (prefix.empty() || (route::parse_pattern(prefix).valid() && !prefix.ends_with('/'))) {
    return inner(outer.prefix + std::string(prefix), outer.host);
  }
  definition_->mistakes.push_back("group '" + std::string(prefix) + "' (" + origin_of(where) +
                                  "): a prefix must begin with '/' and must not end with '/'");
  return inner(outer.prefix, outer.host);
}

Group& Group::tag(std::string name) {
  definition_->groups[index_].tag = std::move(name);
  return *this;
}

Group Group::host(std::string_view name) { return inner(definition_->groups[index_].prefix, std::string(name)); }

Group& Group::files(std::string_view prefix, const std::string& directory, FileOptions options,
                    std::source_location where) {
  const auto mistake = [&](std::string_view what) -> Group& {
    definition_->mistakes.push_back("files '" + std::string(prefix) + "' (" + origin_of(where) +
                                    "): " + std::string(what));
    return *this;
  };
  if (prefix == "/") prefix = {};
  if (prefix.ends_with('/')) return mistake("a prefix must not end with '/'");
  std::shared_ptr<web::Mount> mount;
  try {
    mount = std::make_shared<web::Mount>(directory, std::move(options));
  } catch (const std::system_error& error) {
    return mistake(error.what());
  } catch (const std::invalid_argument& error) {
    return mistake(error.what());
  }
  add_route(Method::get, std::string(prefix) + "/{file...}", where,
            Handler([mount](Request& request) { return mount->serve(request); }))
      .hidden();
  const bool at_root = prefix.empty() && definition_->groups[index_].prefix.empty();
  if (!at_root) add_route(Method::get, prefix, where, Handler(web::redirect_to_mount)).hidden();
  return *this;
}

Group Group::inner(std::string prefix, std::string host) {
  definition_->groups.push_back(
      {.outer = index_, .prefix = std::move(prefix), .host = std::move(host), .middleware = {}});
  return {*definition_, definition_->groups.size() - 1};
}

Route Group::add_route(std::optional<Method> method, std::string_view pattern, std::source_location where,
                       Handler handler) {
  std::string whole = definition_->groups[index_].prefix;
  whole += pattern;
  definition_->routes.push_back({.method = method,
                                 .group = index_,
                                 .pattern = std::move(whole),
                                 .origin = origin_of(where),
                                 .handler = std::move(handler)});
  return {*definition_, definition_->routes.size() - 1};
}

void Group::add_middleware(Middleware middleware) {
  definition_->groups[index_].middleware.push_back(std::make_unique<Middleware>(std::move(middleware)));
}

}  // namespace volt::http
