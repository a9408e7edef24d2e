// What handlers ask for: parameters of these types are made of the request.
//
//   Path<std::int64_t> id              a parameter of the pattern, in its order; Path<T, "name"> by name, also a group's
//   Query<Page> page                   the query, into an aggregate: members with a default value are optional
//   Form<Login> login                  the same of a body that is a form (application/x-www-form-urlencoded)
//   Json<NewItem> item                 the body, by the names of an aggregate's members
//   Header<"user-agent"> agent         a field, as text; Header<"x", T> as another type; optional<...> if it may lack
//   Cookie<"session"> session          the same of a cookie
//   State<Db> db                       what App::state() was given
//   From<User> user                    what middleware has put
//   BodyStream body                    the body, piece by piece
//
// A path, query, field or cookie that is not what was asked for is answered with 400; JSON and forms that can be read
// but do not fit, with 422 (RFC 9110 section 15.5.21). Each says which parameter, and what was expected.
//
// Lifetime: the values are the handler's own, except State and From, which refer to what outlives it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/web/argument.h"
#include "http/web/internal/fields_to_aggregate.h"
#include "http/web/internal/text_value.h"
#include "http/web/problem.h"
#include "http/web/query_fields.h"
#include "http/web/request.h"

namespace volt::http {

// Text as a template argument.
template <std::size_t size>
struct FixedString {
  consteval FixedString(const char (&text)[size]) { std::copy_n(text, size, data); }  // NOLINT: implicit by design
  constexpr std::string_view view() const noexcept { return {data, size - 1}; }
  char data[size]{};
};

namespace web {

// A value of the handler's own.
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

// `sentence` lacks its subject: "must be a whole number".
[[noreturn]] void refuse(std::string_view where, std::string_view name, std::string_view sentence);
[[noreturn]] void refuse_missing(std::string_view where, std::string_view name);
// Each error is listed; `status` is the answer's.
[[noreturn]] void refuse_fields(Status status, std::string_view where, const std::vector<FieldError>& errors);
[[noreturn]] void refuse_json(const JsonError& error);
// 415 unless the request's Content-Type is one of: `type` itself, or, for JSON, a type that ends in +json.
void require_content_type(const Request& request, std::string_view type);

// Answers 400 if there are too many.
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
  static constexpr BodyUse kBody = BodyUse::whole;
  static Form<T> from(const Request& request) {
    web::require_content_type(request, "application/x-www-form-urlencoded");
    return Form<T>(web::aggregate_of<T>(Status::unprocessable_content, "form", request.body()));
  }
  static void describe(openapi::Operation& operation) {
    operation.body("application/x-www-form-urlencoded", openapi::form_schema_of<T>(operation.schemas));
    operation.refusals({Status::bad_request, Status::unsupported_media_type, Status::unprocessable_content});
  }
};

// As a parameter, the request's body; as a result, the answer's.
template <class T>
class Json : public web::Holder<T> {
 public:
  using web::Holder<T>::Holder;
  Response into_response(const Request&) && { return Response::json(to_json(**this)); }
  static void describe(openapi::Operation& operation) {  // as a result
    operation.response(Status::ok, "application/json", openapi::schema_of<T>(operation.schemas));
  }
};
template <class T>
Json(T) -> Json<T>;

template <class T>
struct Extract<Json<T>> {
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
  static Cookie<name, T> from(const Request& request) {
    return Cookie<name, T>(web::optional_value_of<T>("cookie", name.view(), request.cookie(name.view())));
  }
  static void describe(openapi::Operation& operation) {
    web::describe_parameter<T>(operation, openapi::ParameterLocation::cookie, name.view());
  }
};

// Whether handlers may change an app's state of that type: it guards itself against many threads.
//   template <> inline constexpr bool volt::http::kShareable<Rooms> = true;      // or `using Shareable = void` in Rooms
template <class T>
inline constexpr bool kShareable = requires { typename T::Shareable; };

template <class T>
class State {
 public:
  using Value = std::conditional_t<kShareable<T>, T, const T>;
  explicit State(Value& value) noexcept : value_(&value) {}
  Value& operator*() const noexcept { return *value_; }
  Value* operator->() const noexcept { return value_; }

 private:
  Value* value_;
};

template <class T>
struct Extract<State<T>> {
  static constexpr Requirement kRequirement{
      .kind = Requirement::Kind::state, .type = message::type_id<T>(), .name = message::type_name<T>()};
  static State<T> from(const Request& request) { return State<T>(request.state<T>()); }
};

// Refers to the request's own.
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
  // The next piece, empty at the end. Valid until the next call. Throws as BodySource does.
  [[nodiscard]] Task<std::optional<std::string_view>> read() { return request_->read_body_piece(); }
  // Once at the end.
  [[nodiscard]] Fields trailers() const noexcept { return request_->trailers(); }

 private:
  Request* request_;
};

template <>
struct Extract<BodyStream> {
  static constexpr BodyUse kBody = BodyUse::streamed;
  static BodyStream from(Request& request) { return BodyStream(request); }
  static void describe(openapi::Operation& operation) { operation.body("*/*", "{}"); }
};

}  // namespace volt::http
