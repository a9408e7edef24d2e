// SPDX-License-Identifier: MIT

// IntoResponse: converts the result of a handler to a Response. Results are text, Response, aggregates, vectors and
// maps (as JSON), std::optional (empty: 404), std::expected (the error becomes a response too), Status, Problem,
// Created, and void (204).
//
// Text is a std::string, a StaticText or a literal. The compiler refuses a std::string_view or char*, because the text
// that it refers to may be a local variable of the handler. A literal becomes a `const char*`, which the compiler
// cannot tell from other pointers: it must point into the read-only data of the program. Otherwise std::logic_error is
// thrown, which results in a 500 response and a line in the log with the reason.
//
// To support a type of your own, specialize IntoResponse or give the type `Response into_response(const Request&) &&`.
#pragma once

#include <concepts>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/json/json.h"
#include "http/web/operation.h"
#include "http/web/problem.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "reflect/wrong_type.h"

namespace volt::http {

// Returns the Location of a new member of the collection that the request's path names: this path, '/' and the member's
// id. `id` is JSON, such as `7` or `"a"`.
[[nodiscard]] std::string member_location(const Request& request, std::string_view id);

// A 201 response with the value as JSON. The Location field is `location` or, if `location` is empty and the value has
// a member `id`, the request's path followed by the id.
template <class T>
struct Created {
  T value;
  std::string location;

  Created(T created, std::string at = {}) : value(std::move(created)), location(std::move(at)) {}  // NOLINT: implicit
};

template <class T>
void describe_result(openapi::Operation& operation);

namespace web {

// Returns `text`. Throws std::logic_error if it is not in a read-only segment of the program or of a library. A literal
// is; memory that is allocated, on a stack or in a variable is not, and may be freed or changed while it is read.
[[nodiscard]] std::string_view static_text(const char* text);

template <class T>
concept ConvertsItself = requires(T value, const Request& request) { std::move(value).into_response(request); };

template <class T>
inline constexpr bool kOwnsText = !std::is_same_v<T, char*>;
template <class Char, class Traits>
inline constexpr bool kOwnsText<std::basic_string_view<Char, Traits>> = false;
template <class T, std::size_t extent>
inline constexpr bool kOwnsText<std::span<T, extent>> = false;

}  // namespace web

// Converts a T to a response. A specialization may also have `static void describe(openapi::Operation&)`, and so may a
// T with a member function into_response(). This function describes the responses for the OpenAPI document
// (http/web/operation.h).
template <class T>
struct IntoResponse {
  static constexpr bool kIsJson = !web::ConvertsItself<T>;
  static Response from(T value, const Request& request)
    requires(web::ConvertsItself<T> || JsonWritable<T>)
  {
    if constexpr (kIsJson) {
      return Response::json(to_json(value));
    } else {
      return std::move(value).into_response(request);
    }
  }
  static void describe(openapi::Operation& operation) {
    if constexpr (requires { T::describe(operation); }) {
      T::describe(operation);
    } else if constexpr (requires(T value, const Request& request) { std::move(value).into_response(request); }) {
      operation.more_responses();
    } else {
      operation.response(Status::ok, "application/json", openapi::schema_of<T>(operation.schemas));
    }
  }
};

namespace web {

template <class T>
concept Respondable = requires(T value, const Request& request) { IntoResponse<T>::from(std::move(value), request); };

template <class T>
struct FindWrongJson {
  static consteval auto find() {
    if constexpr (kOwnsText<T>) {
      return json::find_wrong<T, json::Direction::write>();
    } else {
      return reflect::Wrong<T>();
    }
  }
};

// Finds the first type, T itself or a part of T, that into_response() cannot convert.
template <class T>
struct FindWrongResult {
  static consteval auto find() {
    if constexpr (std::is_void_v<T> || std::same_as<T, Response>) {
      return reflect::AllRight();
    } else if constexpr (!kOwnsText<T>) {
      return reflect::Wrong<T>();
    } else if constexpr (std::convertible_to<T, std::string_view>) {
      return reflect::AllRight();
    } else if constexpr (!Respondable<T>) {
      return reflect::Wrong<T>();
    } else if constexpr (requires { requires IntoResponse<T>::kIsJson; }) {
      return FindWrongJson<T>::find();
    } else {
      return reflect::AllRight();
    }
  }
};
template <class T>
struct FindWrongResult<std::optional<T>> : FindWrongResult<T> {};
template <class T>
struct FindWrongResult<Created<T>> : FindWrongJson<T> {};
template <class... T>
struct FindWrongResult<std::variant<T...>> {
  static consteval auto find() { return (reflect::AllRight() | ... | FindWrongResult<T>::find()); }
};
template <class T, class E>
struct FindWrongResult<std::expected<T, E>> : FindWrongResult<std::variant<T, E>> {};

template <class T>
using WrongInResult = decltype(FindWrongResult<T>::find());
template <class T>
inline constexpr bool kIsResult = reflect::kIsRight<WrongInResult<T>>;

template <class Found>
struct ResultMistake {};
// For a wrong type within a result that is converted to JSON.
template <class T, class... In>
struct ResultMistake<reflect::Wrong<T, In...>> : json::Mistake<reflect::Wrong<T, In...>, json::Direction::write> {};
template <class T>
  requires(!kOwnsText<T> || !Respondable<T>)
struct ResultMistake<reflect::Wrong<T>> {
  static_assert(kOwnsText<T>,
                "a handler returns what it owns: return std::string or a container, not a view or a pointer, because "
                "the text may be freed before it is sent; for a literal return StaticText");
  static_assert(Respondable<T> || !kOwnsText<T>,
                "a handler returns text, a Response, a type that JSON can represent, a Problem, a Status or nothing; "
                "an optional, expected or variant of them; or a Task of one");
};

}  // namespace web

template <class T>
Response into_response(T&& value, const Request& request) {
  using Value = std::remove_cvref_t<T>;
  if constexpr (!web::kIsResult<Value>) {
    static_cast<void>(sizeof(web::ResultMistake<web::WrongInResult<Value>>));
    std::unreachable();
  } else if constexpr (std::same_as<Value, Response>) {
    return std::forward<T>(value);
  } else if constexpr (std::same_as<Value, const char*> || std::is_array_v<Value>) {
    return Response::text(std::string(web::static_text(value)));
  } else if constexpr (std::same_as<Value, std::string>) {
    return Response::text(std::forward<T>(value));
  } else if constexpr (std::convertible_to<Value, std::string_view>) {
    return Response::text(std::string(std::string_view(value)));
  } else {
    return IntoResponse<Value>::from(std::forward<T>(value), request);
  }
}

template <class T>
void describe_result(openapi::Operation& operation) {
  if constexpr (std::is_void_v<T>) {
    operation.response(Status::no_content);
  } else if constexpr (std::same_as<T, Response>) {
    operation.more_responses();
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    operation.response(Status::ok, "text/plain", openapi::plain_schema("string"));
  } else if constexpr (requires { IntoResponse<T>::describe(operation); }) {
    IntoResponse<T>::describe(operation);
  } else {
    operation.more_responses();
  }
}

template <>
struct IntoResponse<Status> {
  static Response from(Status status, const Request&) { return Response(status); }
};

template <>
struct IntoResponse<StaticText> {
  static Response from(StaticText text, const Request&) { return Response::fixed(text); }
  static void describe(openapi::Operation& operation) {
    operation.response(Status::ok, "text/plain", openapi::plain_schema("string"));
  }
};

template <>
struct IntoResponse<Problem> {
  static Response from(const Problem& problem, const Request& request) { return problem.to_response(request.id()); }
  static void describe(openapi::Operation&) {}  // The default response of every operation is a problem.
};

template <class T>
struct IntoResponse<std::optional<T>> {
  static Response from(std::optional<T> value, const Request& request) {
    if (!value) return not_found().to_response(request.id());
    return into_response(*std::move(value), request);
  }
  static void describe(openapi::Operation& operation) {
    describe_result<T>(operation);
    operation.refusals({Status::not_found});
  }
};

template <class T, class E>
struct IntoResponse<std::expected<T, E>> {
  static Response from(std::expected<T, E> value, const Request& request) {
    if (!value) return into_response(std::move(value).error(), request);
    if constexpr (std::is_void_v<T>) {
      return Response(Status::no_content);
    } else {
      return into_response(*std::move(value), request);
    }
  }
  static void describe(openapi::Operation& operation) {
    describe_result<T>(operation);
    describe_result<E>(operation);
  }
};

template <class... T>
struct IntoResponse<std::variant<T...>> {
  static Response from(std::variant<T...> value, const Request& request) {
    return std::visit([&](auto&& one) { return into_response(std::move(one), request); }, std::move(value));
  }
  static void describe(openapi::Operation& operation) { (describe_result<T>(operation), ...); }
};

template <class T>
struct IntoResponse<Created<T>> {
  static Response from(Created<T> created, const Request& request) {
    Response response = Response::json(to_json(created.value), Status::created);
    if constexpr (requires { to_json(created.value.id); }) {
      if (created.location.empty()) created.location = member_location(request, to_json(created.value.id));
    }
    if (!created.location.empty()) response.header("Location", created.location);
    return response;
  }
  static void describe(openapi::Operation& operation) {
    operation.response(Status::created, "application/json", openapi::schema_of<T>(operation.schemas));
    operation.response_header(Status::created, "Location", "URI of the created resource");
  }
};

}  // namespace volt::http
