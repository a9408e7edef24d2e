// SPDX-License-Identifier: MIT

#include <string>
#include <utility>
#include <vector>

#include "http/message/media_type_value.h"
#include "http/message/percent.h"
#include "http/web/extract.h"
#include "http/websocket/protocol/utf8.h"

namespace volt::http::web {
namespace {

std::string sentence_about(std::string_view where, std::string_view name, std::string_view predicate) {
  return std::string(where).append(name.empty() ? "" : " ").append(name).append(" ").append(predicate);
}

Problem problem_about(Status status, std::string_view where, std::string_view name, std::string_view predicate) {
  Problem problem(status, sentence_about(where, name, predicate));
  problem.invalid(std::string(name), std::string(predicate));
  return problem;
}

}  // namespace

void refuse(std::string_view where, std::string_view name, std::string_view sentence) {
  throw problem_about(Status::bad_request, where, name, sentence);
}

void refuse_missing(std::string_view where, std::string_view name) { refuse(where, name, "is missing"); }

void refuse_fields(Status status, std::string_view where, const std::vector<FieldError>& errors) {
  Problem problem(status, sentence_about(where, errors.front().field, errors.front().sentence));
  for (const FieldError& error : errors) problem.invalid(error.field, error.sentence);
  throw problem;
}

std::vector<FieldError> to_field_errors(std::vector<Invalid> refused) {
  std::vector<FieldError> errors;
  for (Invalid& invalid : refused) {
    if (errors.size() != kFieldErrorsMax) errors.push_back({std::move(invalid.member), std::move(invalid.text)});
  }
  return errors;
}

void refuse_json(const JsonError& error) {
  using Kind = JsonError::Kind;
  const bool unreadable = error.kind == Kind::syntax || error.kind == Kind::too_deep;
  const std::string_view where = error.path.empty() ? std::string_view("the body") : std::string_view(error.path);
  Problem problem(unreadable ? Status::bad_request : Status::unprocessable_content,
                  std::string(where).append(": ").append(error.detail));
  problem.invalid(error.path, error.detail);
  for (const JsonError& other : error.others) problem.invalid(other.path, other.detail);
  throw problem;
}

std::vector<QueryField> fields_of(std::string_view where, std::string_view text) {
  auto fields = parse_query_fields(text);
  if (!fields) throw bad_request(std::string(where).append(": ").append(to_sentence(fields.error())));
  return *std::move(fields);
}

void require_form_text(std::string_view body) {
  for (std::size_t at = body.find('%'); at != std::string_view::npos; at = body.find('%', at + 1)) {
    if (!message::starts_with_escape(body.substr(at))) throw bad_request("the form has a malformed percent escape");
  }
  const std::string text = message::percent_decode(body);
  if (text.contains('\0')) throw bad_request("the form contains a NUL");
  if (!websocket::is_utf8(text)) throw bad_request("the form is not UTF-8");
}

void require_content_type(const Request& request, std::string_view type) {
  const auto field = request.header("content-type");
  const auto given = field ? message::MediaTypeValue::parse(*field) : std::nullopt;
  const bool json = type == "application/json";
  if (given && (given->is(type) || (json && given->has_suffix("json")))) return;
  throw Problem(Status::unsupported_media_type, std::string("the request body must be of type ").append(type));
}

}  // namespace volt::http::web
