// SPDX-License-Identifier: MIT

#include "http/web/group.h"

#include <stdexcept>

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

Group Group::group(std::string_view prefix) {
  const route::Pattern pattern = route::parse_pattern(prefix);
  if (!pattern.valid() || prefix.ends_with('/')) {
    throw std::invalid_argument("group '" + std::string(prefix) +
                                "': a prefix must begin with '/' and must not end with '/'");
  }
  const AppDefinition::Group& outer = definition_->groups[index_];
  return inner(outer.prefix + std::string(prefix), outer.host);
}

Group& Group::tag(std::string name) {
  definition_->groups[index_].tag = std::move(name);
  return *this;
}

Group Group::host(std::string_view name) { return inner(definition_->groups[index_].prefix, std::string(name)); }

Group& Group::files(std::string_view prefix, const std::string& directory, FileOptions options,
                    std::source_location where) {
  if (prefix == "/") prefix = {};
  if (prefix.ends_with('/')) {
    throw std::invalid_argument("files '" + std::string(prefix) + "': a prefix must not end with '/'");
  }
  auto mount = std::make_shared<web::Mount>(directory, std::move(options));
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
