// SPDX-License-Identifier: MIT

// IntoResponse: converts the result of a handler to a Response. Results are text, Response, aggregates, vectors and
// maps (as JSON), std::optional (empty: 404), std::expected (the error becomes a response too), Status, Problem,
// Created, and void (204).
//
// To support a type of your own, specialize IntoResponse or give the type `Response into_response(const Request&) &&`.
#pragma once

#include <concepts>
#include <expected>
#include <optional>
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

namespace volt::http {

// Location of a new member of the collection at the request's path: the path, '/' and `id`, which is given as JSON.
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

// A specialization, or a type that has a function into_response, may also have `static void
// describe(openapi::Operation&)`. It describes the responses that are made (http/web/operation.h).
template <class T>
struct IntoResponse {
  static Response from(T value, const Request& request) {
    if constexpr (requires { std::move(value).into_response(request); }) {
      return std::move(value).into_response(request);
    } else {
      static_assert(JsonWritable<T>,
                    "a handler returns text, a Response, a type that JSON can represent, a Problem, a Status "
                    "or nothing; an optional, expected or variant of them; or a Task of one");
      return Response::json(to_json(value));
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

template <class T>
Response into_response(T&& value, const Request& request) {
  using Value = std::remove_cvref_t<T>;
  if constexpr (std::same_as<Value, Response>) {
    return std::forward<T>(value);
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
struct IntoResponse<Problem> {
  static Response from(const Problem& problem, const Request& request) { return problem.to_response(request.id()); }
  static void describe(openapi::Operation&) {}  // Any operation may respond with a problem.
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
