// SPDX-License-Identifier: MIT

// Extractors: types of handler parameters. The server makes each argument from the request.
//
//   Path<std::int64_t> id              the next path parameter of the pattern, in order
//   Path<T, "name"> id                 the path parameter {name}, which may also belong to a group's prefix
//   Query<Page> page                   the query as an aggregate; members with a default value are optional
//   Form<Login> login                  a form body (application/x-www-form-urlencoded) as an aggregate
//   Json<NewItem> item                 a JSON body, by the names of the aggregate's members
//   Header<"user-agent"> agent         a header field as text
//   Header<"x-size", T> size           a header field as a T; it may be missing if T is a std::optional
//   Cookie<"session"> session          a cookie as text; Cookie<"x", T> is like Header<"x", T>
//   State<Db> db                       the value that was passed to App::state()
//   From<User> user                    the value that middleware stored with Request::put()
//   BodyStream body                    the body, read piece by piece
//
// A path parameter, query, field or cookie that does not fit its type is rejected with 400. JSON that is malformed is
// rejected with 400; JSON and forms that are well-formed but do not fit are rejected with 422 (RFC 9110 section
// 15.5.21). Each error names the parameter and the expected value.
//
// Lifetime: the handler owns the values, except State and From, which refer to values that outlive the handler's call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/message/fixed_string.h"
#include "http/web/argument.h"
#include "http/web/internal/fields_to_aggregate.h"
#include "http/web/internal/text_value.h"
#include "http/web/into_response.h"
#include "http/web/problem.h"
#include "http/web/query_fields.h"
#include "http/web/request.h"

namespace volt::http {

namespace web {

// Base of the extractors that own their value.
template <class T>
class Holder {
 public:
  using Value = T;
  explicit Holder(T value) : value_(std::move(value)) {}
  T& operator*() & noexcept { return value_; }
  const T& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

 private:
  T value_;
};

// Rejects the request with 400. The message consists of `where`, `name` and `sentence`, such as "path id must be true
// or false".
[[noreturn]] void refuse(std::string_view where, std::string_view name, std::string_view sentence);
[[noreturn]] void refuse_missing(std::string_view where, std::string_view name);
// Rejects the request with `status` and lists every error.
[[noreturn]] void refuse_fields(Status status, std::string_view where, const std::vector<FieldError>& errors);
[[noreturn]] void refuse_json(const JsonError& error);
// Rejects the request with 415 unless its Content-Type is `type` or, if `type` is JSON, a type that ends in +json.
void require_content_type(const Request& request, std::string_view type);

// Rejects the request with 400 if the body of a form has a malformed escape, a NUL, or text that is not UTF-8. A form
// is encoded in UTF-8 (WHATWG URL, section 5), and no browser sends a malformed escape or a NUL.
void require_form_text(std::string_view body);

// Parses query or form fields. Rejects the request with 400 if there are too many.
std::vector<QueryField> fields_of(std::string_view where, std::string_view text);

template <class T>
T aggregate_of(Status status, std::string_view where, std::string_view text) {
  const std::vector<QueryField> fields = fields_of(where, text);
  auto value = fields_to_aggregate<T>(fields);
  if (!value) refuse_fields(status, where, value.error());
  return *std::move(value);
}

template <class T>
T value_of(std::string_view where, std::string_view name, std::string_view text) {
  auto value = parse_text<T>(text);
  if (!value) refuse(where, name, value.error());
  return *std::move(value);
}

template <class T>
T optional_value_of(std::string_view where, std::string_view name, std::optional<std::string_view> text) {
  if constexpr (requires {
                  typename T::value_type;
                  requires std::is_same_v<T, std::optional<typename T::value_type>>;
                }) {
    if (!text) return std::nullopt;
    return value_of<typename T::value_type>(where, name, *text);
  } else {
    if (!text) refuse_missing(where, name);
    return value_of<T>(where, name, *text);
  }
}

template <class T>
void describe_parameter(openapi::Operation& operation, openapi::ParameterLocation place, std::string_view name) {
  operation.parameter(place, name, openapi::text_schema_of<T>(operation.schemas), !kIsOptional<T>);
}

}  // namespace web

template <class T, FixedString name = "">
class Path : public web::Holder<T> {
 public:
  using web::Holder<T>::Holder;
};

template <class T>
struct Extract<Path<T, "">> {
  static constexpr bool kUsable = web::kIsTextValue<T>;
  using Mistake = web::TextMistake<T>;
  static constexpr bool kFromPath = true;
  static Path<T> from(const Request& request, std::size_t place) {
    return Path<T>(web::value_of<T>("path", request.param_name(place), request.param(place)));
  }
  static void describe(openapi::Operation& operation) {
    operation.next_of_path(openapi::text_schema_of<T>(operation.schemas));
  }
};

template <class T, FixedString name>
  requires(!name.view().empty())
struct Extract<Path<T, name>> {
  static constexpr bool kUsable = web::kIsTextValue<T>;
  using Mistake = web::TextMistake<T>;
  static constexpr Requirement kRequirement{.kind = Requirement::Kind::param, .name = name.view()};
  static Path<T, name> from(const Request& request) {
    return Path<T, name>(web::value_of<T>("path", name.view(), request.param(name.view()).value_or("")));
  }
  static void describe(openapi::Operation& operation) {
    web::describe_parameter<T>(operation, openapi::ParameterLocation::path, name.view());
  }
};

template <class T>
class Query : public web::Holder<T> {
 public:
  using web::Holder<T>::Holder;
};

template <class T>
struct Extract<Query<T>> {
  static constexpr bool kUsable = web::kAreFields<T>;
  using Mistake = web::FieldsMistake<T>;
  static Query<T> from(const Request& request) {
    return Query<T>(web::aggregate_of<T>(Status::bad_request, "query", request.query()));
  }
  static void describe(openapi::Operation& operation) {
    openapi::for_each_field<T>(operation.schemas, [&](auto name, const std::string& schema, bool required) {
      operation.parameter(openapi::ParameterLocation::query, name, schema, required);
    });
  }
};

template <class T>
class Form : public web::Holder<T> {
 public:
  using web::Holder<T>::Holder;
};

template <class T>
struct Extract<Form<T>> {
  static constexpr bool kUsable = web::kAreFields<T>;
  using Mistake = web::FieldsMistake<T>;
  static constexpr bool kIsBody = true;
  static constexpr BodyUse kBody = BodyUse::whole;
  static Form<T> from(const Request& request) {
    web::require_content_type(request, "application/x-www-form-urlencoded");
    web::require_form_text(request.body());
    return Form<T>(web::aggregate_of<T>(Status::unprocessable_content, "form", request.body()));
  }
  static void describe(openapi::Operation& operation) {
    operation.body("application/x-www-form-urlencoded", openapi::form_schema_of<T>(operation.schemas));
    operation.refusals({Status::bad_request, Status::unsupported_media_type, Status::unprocessable_content});
  }
};

// A JSON body: that of the request if Json<T> is a parameter of a handler, and that of the response if Json<T> is the
// result of a handler.
template <class T>
class Json : public web::Holder<T> {
 public:
  using web::Holder<T>::Holder;
  Response into_response(const Request&) && { return Response::json(to_json(**this)); }
  static void describe(openapi::Operation& operation) {  // The description of a result.
    operation.response(Status::ok, "application/json", openapi::schema_of<T>(operation.schemas));
  }
};
template <class T>
Json(T) -> Json<T>;

template <class T>
struct web::FindWrongResult<Json<T>> : web::FindWrongJson<T> {};

template <class T>
struct Extract<Json<T>> {
  static constexpr bool kUsable = json::kUsable<T, json::Direction::read>;
  using Mistake = json::MistakeIn<T, json::Direction::read>;
  static constexpr bool kIsBody = true;
  static constexpr BodyUse kBody = BodyUse::whole;
  static Json<T> from(const Request& request) {
    web::require_content_type(request, "application/json");
    auto value = from_json<T>(request.body());
    if (!value) web::refuse_json(value.error());
    return Json<T>(*std::move(value));
  }
  static void describe(openapi::Operation& operation) {
    operation.body("application/json", openapi::schema_of<T>(operation.schemas));
    operation.refusals({Status::bad_request, Status::unsupported_media_type, Status::unprocessable_content});
  }
};

template <FixedString name, class T = std::string>
class Header : public web::Holder<T> {
 public:
  using web::Holder<T>::Holder;
};

template <FixedString name, class T>
struct Extract<Header<name, T>> {
  static constexpr bool kUsable = web::kIsTextValue<T>;
  using Mistake = web::TextMistake<T>;
  static Header<name, T> from(const Request& request) {
    return Header<name, T>(web::optional_value_of<T>("header", name.view(), request.header(name.view())));
  }
  static void describe(openapi::Operation& operation) {
    web::describe_parameter<T>(operation, openapi::ParameterLocation::header, name.view());
  }
};

template <FixedString name, class T = std::string>
class Cookie : public web::Holder<T> {
 public:
  using web::Holder<T>::Holder;
};

template <FixedString name, class T>
struct Extract<Cookie<name, T>> {
  static constexpr bool kUsable = web::kIsTextValue<T>;
  using Mistake = web::TextMistake<T>;
  static Cookie<name, T> from(const Request& request) {
    return Cookie<name, T>(web::optional_value_of<T>("cookie", name.view(), request.cookie(name.view())));
  }
  static void describe(openapi::Operation& operation) {
    web::describe_parameter<T>(operation, openapi::ParameterLocation::cookie, name.view());
  }
};

// True for a type T of application state that handlers may modify, because T is safe for use by many threads. By
// default handlers can only read state.
//   template <> inline constexpr bool volt::http::kShareable<Rooms> = true;  // or `using Shareable = void` in Rooms
template <class T>
inline constexpr bool kShareable = requires { typename T::Shareable; };

// The type that State<T> refers to. The alias is named so that the compiler's error for code that modifies a const
// state shows the remedy: make T shareable (kShareable).
template <class T>
using ConstUnlessShareable = std::conditional_t<kShareable<T>, T, const T>;

template <class T>
class State {
 public:
  using Value = ConstUnlessShareable<T>;
  explicit State(Value& value) noexcept : value_(&value) {}
  ConstUnlessShareable<T>& operator*() const noexcept { return *value_; }
  ConstUnlessShareable<T>* operator->() const noexcept { return value_; }

 private:
  Value* value_;
};

template <class T>
struct Extract<State<T>> {
  static constexpr Requirement kRequirement{
      .kind = Requirement::Kind::state, .type = message::type_id<T>(), .name = message::type_name<T>()};
  static State<T> from(const Request& request) { return State<T>(request.state<T>()); }
};

// Refers to a value that is stored in the request.
template <class T>
class From {
 public:
  explicit From(T& value) noexcept : value_(&value) {}
  T& operator*() const noexcept { return *value_; }
  T* operator->() const noexcept { return value_; }

 private:
  T* value_;
};

template <class T>
struct Extract<From<T>> {
  static constexpr Requirement kRequirement{
      .kind = Requirement::Kind::provided, .type = message::type_id<T>(), .name = message::type_name<T>()};
  static From<T> from(const Request& request) { return From<T>(request.get<T>()); }
};

class BodyStream {
 public:
  explicit BodyStream(Request& request) noexcept : request_(&request) {}
  // Reads the next piece of the body; nullopt at the end. The piece is valid until the next call. Throws like
  // BodySource::next().
  [[nodiscard]] Task<std::optional<std::string_view>> read() { return request_->read_body_piece(); }
  // Trailer fields; empty until the end of the body has been read.
  [[nodiscard]] Fields trailers() const noexcept { return request_->trailers(); }

 private:
  Request* request_;
};

template <>
struct Extract<BodyStream> {
  static constexpr bool kIsBody = true;
  static constexpr BodyUse kBody = BodyUse::streamed;
  static BodyStream from(Request& request) { return BodyStream(request); }
  static void describe(openapi::Operation& operation) { operation.body("*/*", "{}"); }
};

}  // namespace volt::http
