// SPDX-License-Identifier: MIT

#include "http/openapi/document.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "http/route/pattern.h"
#include "http/web/object_text.h"
#include "http/web/operation.h"
#include "http/web/schemas.h"

namespace volt::http::openapi {
namespace {

using Definition = AppDefinition;
using Names = std::vector<std::string_view>;

// Returns the name of the method's operation in a path item; empty for methods that OpenAPI lacks.
std::string_view operation_name(Method method) noexcept {
  switch (method) {
    case Method::get:
      return "get";
    case Method::put:
      return "put";
    case Method::post:
      return "post";
    case Method::del:
      return "delete";
    case Method::options:
      return "options";
    case Method::head:
      return "head";
    case Method::patch:
      return "patch";
    case Method::trace:
      return "trace";
    default:
      return {};
  }
}

// A pattern in two parts: the path with empty braces, such as "/items/{}", and the names of its parameters. A wildcard
// is treated as a parameter.
struct Shape {
  std::string path;
  Names names;
};

Shape shape_of(std::string_view pattern) {
  Shape shape;
  while (!pattern.empty()) {
    const route::Segment segment = route::take_segment(pattern);
    if (segment.kind == route::Segment::Kind::literal) {
      shape.path.append("/").append(segment.text);
    } else {
      shape.path += "/{}";
      shape.names.push_back(segment.text);
    }
  }
  return shape;
}

std::string path_with(std::string_view shape, const Names& names) {
  std::string path;
  for (std::size_t next = 0; const char c : shape) {
    if (c == '}') path += names[next++];
    path += c;
  }
  return path;
}

std::string bracketed_texts(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) add_word(list, text);
  return bracketed(list);
}

// The schema of the output of Problem::to_response (RFC 9457).
std::string problem_schema() {
  const std::string text = plain_schema("string");
  ObjectSchema error;
  error.member("field", text, true);
  error.member("detail", text, true);
  ObjectSchema problem;
  problem.member("type", plain_schema("string", "uri-reference"), false);
  problem.member("title", text, false);
  problem.member("status", plain_schema("integer"), false);
  problem.member("detail", text, false);
  problem.member("errors", array_schema(error.finish()), false);
  problem.member("request_id", text, false);
  return problem.finish();
}

// Credentials that a middleware requires, and the name of their cookie or header field.
using Required = std::pair<Credentials, std::string>;

bool are_token(Credentials credentials) {
  return credentials == Credentials::bearer || credentials == Credentials::jwt;
}

std::string security_scheme(const Required& required) {
  const auto& [credentials, name] = required;
  ObjectText scheme;
  if (!name.empty()) {
    scheme.add_text("type", "apiKey").add_text("in", credentials == Credentials::cookie ? "cookie" : "header");
    return scheme.add_text("name", name).text();
  }
  scheme.add_text("type", "http").add_text("scheme", credentials == Credentials::basic ? "basic" : "bearer");
  if (credentials == Credentials::jwt) scheme.add_text("bearerFormat", "JWT");
  return scheme.text();
}

// Returns the name of the scheme in the components, such as "basic" or "header.x-api-key". Characters that OpenAPI does
// not allow there become '_'.
std::string scheme_name(const Required& required) {
  const auto with_name = [&required](std::string_view place) {
    std::string all = std::string(place) + "." + required.second;
    for (char& c : all) {
      if (!message::is_alpha(c) && !message::is_digit(c) && c != '.' && c != '-') c = '_';
    }
    return all;
  };
  switch (required.first) {
    case Credentials::none:
      return {};
    case Credentials::basic:
      return "basic";
    case Credentials::bearer:
      return "bearer";
    case Credentials::jwt:
      return "jwt";
    case Credentials::cookie:
      return with_name("cookie");
    case Credentials::header:
      return with_name("header");
  }
  std::unreachable();
}

class Document {
 public:
  explicit Document(const Definition& definition) : definition_(definition) {
    schemas_.add("Problem", problem_schema());  // First, so an aggregate named Problem gets another name.
    for (const Definition::Route& route : definition.routes) take_operation_id(route);
    for (const Definition::Route& route : definition.routes) add_route(route);
  }

  [[nodiscard]] std::string text(const OpenApiOptions& options) const;

 private:
  struct PathItem {
    std::string path;
    Names names;  // Names of the first route; parameters of the other routes are renamed.
    std::vector<std::pair<std::string_view, std::string>> operations;
  };

  static bool is_listed(const Definition::Route& route) {
    return !route.metadata.hidden && route.method && !operation_name(*route.method).empty();
  }
  void take_operation_id(const Definition::Route& route);
  [[nodiscard]] std::string operation_id(const Definition::Route& route, const PathItem& item);
  void add_route(const Definition::Route& route);
  [[nodiscard]] std::string operation_text(const Definition::Route& route, const PathItem& item, const Names& names);
  [[nodiscard]] std::vector<std::string> tags_of(const Definition::Route& route) const;
  template <class F>
  void for_each_middleware(const Definition::Route& route, F f) const;
  [[nodiscard]] std::set<Required> credentials_of(const Definition::Route& route) const;
  // Returns the scopes and roles that a token needs.
  [[nodiscard]] std::vector<std::string> permissions_of(const Definition::Route& route) const;
  [[nodiscard]] std::string components() const;

  const Definition& definition_;
  Schemas schemas_;
  std::vector<PathItem> items_;               // In the order of the routes.
  std::map<std::string, std::size_t> known_;  // Indexes in items_, by shape.
  std::set<std::string> operation_ids_;
  std::vector<std::string> tags_;
  std::set<Required> credentials_;
};

void Document::take_operation_id(const Definition::Route& route) {
  const std::string& id = route.metadata.operation_id;
  if (!is_listed(route) || id.empty() || operation_ids_.insert(id).second) return;
  throw std::invalid_argument("two routes have the operationId '" + id + "'; the second is " + route.pattern + " (" +
                              route.origin + ")");
}

std::string Document::operation_id(const Definition::Route& route, const PathItem& item) {
  if (!route.metadata.operation_id.empty()) return route.metadata.operation_id;
  std::string base(operation_name(*route.method));
  for (const char c : item.path) {
    if (message::is_alpha(c) || message::is_digit(c)) {
      base += c;
    } else if (!base.ends_with('_')) {
      base += '_';
    }
  }
  while (base.ends_with('_')) base.pop_back();
  std::string id = base;
  for (int i = 2; !operation_ids_.insert(id).second; ++i) id = base + "_" + std::to_string(i);
  return id;
}

void Document::add_route(const Definition::Route& route) {
  if (!is_listed(route)) return;
  const Shape shape = shape_of(route.pattern);
  const auto [place, fresh] = known_.try_emplace(shape.path, items_.size());
  if (fresh) items_.push_back({.path = path_with(shape.path, shape.names), .names = shape.names, .operations = {}});
  PathItem& item = items_[place->second];
  const std::string_view name = operation_name(*route.method);
  const auto same = [name](const auto& operation) { return operation.first == name; };
  if (std::ranges::any_of(item.operations, same)) return;  // A route for another host.
  item.operations.emplace_back(name, operation_text(route, item, shape.names));
}

std::string Document::operation_text(const Definition::Route& route, const PathItem& item, const Names& names) {
  Operation operation(schemas_);
  route.handler.describe(operation);
  const std::set<Required> credentials = credentials_of(route);
  if (!credentials.empty()) operation.refusals({Status::unauthorized});
  for_each_middleware(route, [&operation](const Middleware& middleware) {
    for (const Status status : middleware.refusals()) operation.refusals({status});
  });
  for (const auto& [status, description] : route.metadata.responses) operation.describe_response(status, description);

  ObjectText text;
  const std::vector<std::string> tags = tags_of(route);
  if (!tags.empty()) text.add("tags", bracketed_texts(tags));
  for (const std::string& tag : tags) {
    if (std::ranges::find(tags_, tag) == tags_.end()) tags_.push_back(tag);
  }
  text.add_text_if_any("summary", route.metadata.summary).add_text_if_any("description", route.metadata.description);
  text.add_text("operationId", operation_id(route, item));
  if (route.metadata.deprecated) text.add("deprecated", "true");

  std::vector<Operation::PathName> path_names;
  for (std::size_t i = 0; i != names.size(); ++i) path_names.emplace_back(names[i], item.names[i]);
  const std::string parameters = operation.parameters(path_names);
  if (!parameters.empty()) text.add("parameters", parameters);
  const std::string body = operation.request_body();
  if (!body.empty()) text.add("requestBody", body);
  text.add("responses", operation.responses());
  if (!credentials.empty()) {
    const std::string permissions = bracketed_texts(permissions_of(route));
    ObjectText all;
    for (const Required& one : credentials) all.add(scheme_name(one), are_token(one.first) ? permissions : "[]");
    text.add("security", bracketed(all.text()));
    credentials_.insert(credentials.begin(), credentials.end());
  }
  return text.text();
}

std::vector<std::string> Document::tags_of(const Definition::Route& route) const {
  if (!route.metadata.tags.empty()) return route.metadata.tags;
  for (std::size_t group = route.group;; group = definition_.groups[group].outer) {
    if (!definition_.groups[group].tag.empty()) return {definition_.groups[group].tag};
    if (group == 0) break;
  }
  const std::string& prefix = definition_.groups[route.group].prefix;
  return prefix.empty() ? std::vector<std::string>() : std::vector<std::string>{prefix.substr(1)};
}

template <class F>
void Document::for_each_middleware(const Definition::Route& route, F f) const {
  for (std::size_t group = route.group;; group = definition_.groups[group].outer) {
    for (const auto& middleware : definition_.groups[group].middleware) f(*middleware);
    if (group == 0) return;
  }
}

std::set<Required> Document::credentials_of(const Definition::Route& route) const {
  std::set<Required> all;
  for_each_middleware(route, [&all](const Middleware& middleware) {
    if (middleware.credentials().first != Credentials::none) all.insert(middleware.credentials());
  });
  return all;
}

std::vector<std::string> Document::permissions_of(const Definition::Route& route) const {
  std::set<std::string> all;
  for_each_middleware(route, [&all](const Middleware& middleware) {
    all.insert(middleware.permissions().begin(), middleware.permissions().end());
  });
  return {all.begin(), all.end()};
}

std::string Document::components() const {
  const std::string media = ObjectText().add("schema", reference_to_schema("Problem")).text();
  const std::string problem = ObjectText()
                                  .add_text("description", "An error (RFC 9457)")
                                  .add("content", ObjectText().add("application/problem+json", media).text())
                                  .text();
  ObjectText components;
  components.add("schemas", schemas_.text()).add("responses", ObjectText().add("Problem", problem).text());
  ObjectText schemes;
  for (const Required& one : credentials_) schemes.add(scheme_name(one), security_scheme(one));
  if (!schemes.empty()) components.add("securitySchemes", schemes.text());
  return components.text();
}

std::string Document::text(const OpenApiOptions& options) const {
  ObjectText info;
  info.add_text("title", options.title).add_text_if_any("summary", options.summary);
  info.add_text_if_any("description", options.description).add_text("version", options.version);
  ObjectText document;
  document.add_text("openapi", "3.1.0").add("info", info.text());
  std::string servers;
  for (const std::string& url : options.servers) append_item(servers, ObjectText().add_text("url", url).text());
  if (!servers.empty()) document.add("servers", bracketed(servers));
  ObjectText paths;
  for (const PathItem& item : items_) {
    ObjectText operations;
    for (const auto& [name, operation] : item.operations) operations.add(name, operation);
    paths.add(item.path, operations.text());
  }
  document.add("paths", paths.text()).add("components", components());
  std::string tags;
  for (const std::string& tag : tags_) append_item(tags, ObjectText().add_text("name", tag).text());
  if (!tags.empty()) document.add("tags", bracketed(tags));
  return document.text();
}

}  // namespace

std::string document(const AppDefinition& definition, const OpenApiOptions& options) {
  if (options.title.empty() || options.version.empty()) {
    throw std::invalid_argument("an OpenAPI document needs a title and a version");
  }
  return Document(definition).text(options);
}

}  // namespace volt::http::openapi
