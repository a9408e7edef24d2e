// SPDX-License-Identifier: MIT

#include "http/web/operation.h"

#include <algorithm>

#include "http/web/object_text.h"

namespace volt::http::openapi {
namespace {

std::string_view to_string(ParameterLocation place) noexcept {
  switch (place) {
    case ParameterLocation::path:
      return "path";
    case ParameterLocation::query:
      return "query";
    case ParameterLocation::header:
      return "header";
    case ParameterLocation::cookie:
      return "cookie";
  }
  std::unreachable();
}

std::string parameter_text(ParameterLocation place, std::string_view name, std::string_view schema, bool required) {
  ObjectText parameter;
  parameter.add_text("name", name).add_text("in", to_string(place));
  if (required) parameter.add("required", "true");
  return parameter.add("schema", schema).text();
}

std::string braced(std::string_view members) { return "{" + std::string(members) + "}"; }

}  // namespace

void Operation::next_of_path(std::string schema) {
  if (schema != plain_schema("string")) refusals({Status::bad_request});
  by_place_.push_back(std::move(schema));
}

void Operation::parameter(ParameterLocation place, std::string_view name, std::string_view schema, bool required) {
  if (required || schema != plain_schema("string")) refusals({Status::bad_request});
  if (place == ParameterLocation::path) {
    by_name_.emplace_back(name, schema);
  } else {
    append_item(parameters_, parameter_text(place, name, schema, required));
  }
}

void Operation::body(std::string_view media_type, std::string_view schema) {
  add_media(bodies_, media_type, schema);
  refusals({Status::content_too_large});
}

void Operation::add_media(Content& content, std::string_view type, std::string_view schema) {
  auto media = std::ranges::find(content, type, &Media::type);
  if (media == content.end()) media = content.insert(media, {.type = std::string(type), .schemas = {}});
  if (std::ranges::find(media->schemas, schema) == media->schemas.end()) media->schemas.emplace_back(schema);
}

std::string Operation::content_text(const Content& content) {
  ObjectText text;
  for (const auto& [type, schemas] : content) {
    std::string all;
    for (const std::string& schema : schemas) append_item(all, schema);
    if (schemas.size() > 1) all = choice_schema("anyOf", all);
    text.add(type, ObjectText().add("schema", all).text());
  }
  return text.text();
}

Operation::ResponseObject& Operation::response_of(Status status) {
  const auto place = std::ranges::lower_bound(responses_, status, {}, &ResponseObject::status);
  if (place != responses_.end() && place->status == status) return *place;
  return *responses_.insert(
      place, {.status = status, .description = std::string(reason_phrase(status)), .content = {}, .headers = {}});
}

void Operation::response(Status status, std::string_view media_type, std::string_view schema) {
  ResponseObject& described = response_of(status);
  if (!media_type.empty()) add_media(described.content, media_type, schema);
}

void Operation::response_header(Status status, std::string_view name, std::string_view description) {
  const std::string header =
      ObjectText().add_text("description", description).add("schema", plain_schema("string")).text();
  const std::string member = ObjectText().add(name, header).text();
  append_item(response_of(status).headers, std::string_view(member).substr(1, member.size() - 2));
}

void Operation::refusals(std::initializer_list<Status> statuses) {
  for (const Status status : statuses) response_of(status);
}

void Operation::describe_response(Status status, std::string_view description) {
  response_of(status).description = description;
}

std::string Operation::parameters(std::span<const PathName> names) {
  std::string all;
  const std::size_t not_by_place = names.size() - std::min(names.size(), by_place_.size());
  for (std::size_t i = 0; i != names.size(); ++i) {
    const auto [written, shown] = names[i];
    std::string schema = plain_schema("string");
    for (const auto& [name, named] : by_name_) {
      if (name == written) schema = named;
    }
    if (i >= not_by_place) schema = by_place_[i - not_by_place];
    append_item(all, parameter_text(ParameterLocation::path, shown, schema, true));
  }
  if (!parameters_.empty()) append_item(all, parameters_);
  return all.empty() ? all : bracketed(all);
}

std::string Operation::request_body() const {
  if (bodies_.empty()) return {};
  return ObjectText().add("required", "true").add("content", content_text(bodies_)).text();
}

std::string Operation::responses() const {
  ObjectText all;
  bool answered = false;
  for (const ResponseObject& declared : responses_) {
    ObjectText response;
    const bool problem = code(declared.status) >= 400 && declared.content.empty();
    if (problem) response.add_text("$ref", "#/components/responses/Problem");
    response.add_text("description", declared.description);
    if (!declared.headers.empty()) response.add("headers", braced(declared.headers));
    if (!declared.content.empty()) response.add("content", content_text(declared.content));
    all.add(std::to_string(code(declared.status)), response.text());
    answered = answered || code(declared.status) < 400;
  }
  if (more_responses_ && !answered) all.add("2XX", ObjectText().add_text("description", "Success").text());
  return all.add("default", ObjectText().add_text("$ref", "#/components/responses/Problem").text()).text();
}

}  // namespace volt::http::openapi
