#include "http/web/operation.h"

#include <algorithm>

#include "http/web/object_text.h"

namespace volt::http::openapi {
namespace {

std::string_view to_string(Place place) noexcept {
  switch (place) {
    case Place::path:
      return "path";
    case Place::query:
      return "query";
    case Place::header:
      return "header";
    case Place::cookie:
      return "cookie";
  }
  std::unreachable();
}

std::string parameter_text(Place place, std::string_view name, std::string_view schema, bool required) {
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

void Operation::parameter(Place place, std::string_view name, std::string_view schema, bool required) {
  if (required || schema != plain_schema("string")) refusals({Status::bad_request});
  if (place == Place::path) {
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

Operation::Answer& Operation::answer_of(Status status) {
  const auto place = std::ranges::lower_bound(answers_, status, {}, &Answer::status);
  if (place != answers_.end() && place->status == status) return *place;
  return *answers_.insert(
      place, {.status = status, .description = std::string(reason_phrase(status)), .content = {}, .headers = {}});
}

void Operation::answer(Status status, std::string_view media_type, std::string_view schema) {
  Answer& described = answer_of(status);
  if (!media_type.empty()) add_media(described.content, media_type, schema);
}

void Operation::answer_header(Status status, std::string_view name, std::string_view description) {
  const std::string header =
      ObjectText().add_text("description", description).add("schema", plain_schema("string")).text();
  const std::string member = ObjectText().add(name, header).text();
  append_item(answer_of(status).headers, std::string_view(member).substr(1, member.size() - 2));
}

void Operation::refusals(std::initializer_list<Status> statuses) {
  for (const Status status : statuses) answer_of(status);
}

void Operation::say(Status status, std::string_view description) { answer_of(status).description = description; }

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
    append_item(all, parameter_text(Place::path, shown, schema, true));
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
  for (const Answer& answer : answers_) {
    ObjectText response;
    const bool problem = code(answer.status) >= 400 && answer.content.empty();
    if (problem) response.add_text("$ref", "#/components/responses/Problem");
    response.add_text("description", answer.description);
    if (!answer.headers.empty()) response.add("headers", braced(answer.headers));
    if (!answer.content.empty()) response.add("content", content_text(answer.content));
    all.add(std::to_string(code(answer.status)), response.text());
    answered = answered || code(answer.status) < 400;
  }
  if (answers_more_ && !answered) all.add("2XX", ObjectText().add_text("description", "Success").text());
  return all.add("default", ObjectText().add_text("$ref", "#/components/responses/Problem").text()).text();
}

}  // namespace volt::http::openapi
