// How a handler's parameter is made of a request: Extract<T>. Path, Query, Json and their like specialise it; users may,
// or give their type a static `from`:
//
//   struct CurrentUser { ...; static Task<CurrentUser> from(Request& request); };   // or a plain CurrentUser from(...)
//   Task<Page> home(CurrentUser user);
//
// `from` throws a Problem to refuse the request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "http/message/typed_store.h"
#include "http/web/operation.h"
#include "http/web/request.h"
#include "runtime/task.h"

namespace volt::http {

// What a handler does with the request's body.
enum class BodyUse : std::uint8_t {
  none,      // what has come is dropped
  whole,     // it is read before the handler is called
  streamed,  // the handler reads it piece by piece
};

// What must be there for a route to work; checked before the server starts.
struct Requirement {
  enum class Kind : std::uint8_t { state, provided, param };
  Kind kind;
  message::TypeId type = nullptr;
  std::string_view name;  // of the type, or the path parameter
};

// Optional members beside `from`:
//   static constexpr BodyUse kBody;                   BodyUse::none without it
//   static constexpr Requirement kRequirement;
//   static constexpr bool kFromPath;                  it is the next of the pattern's parameters; `from` gets its place
//   static void describe(openapi::Operation&);        what it asks for: see http/web/operation.h
template <class T>
struct Extract {
  static_assert(
      requires(Request& request) { T::from(request); },
      "a handler's parameter is Request&, an extractor (Path, Query, Json, State, ...), or a type with a "
      "static from(Request&)");
  static auto from(Request& request) { return T::from(request); }
  static void describe(openapi::Operation& operation) {
    if constexpr (requires { T::describe(operation); }) T::describe(operation);
  }
};

template <>
struct Extract<Request> {
  static constexpr BodyUse kBody = BodyUse::whole;
  static Request& from(Request& request) { return request; }
};

namespace web {

template <class T>
struct TaskOf : std::false_type {
  using Value = T;
};
template <class T>
struct TaskOf<Task<T>> : std::true_type {
  using Value = T;
};

template <class Param>
using ExtractOf = Extract<std::remove_cvref_t<Param>>;

template <class Param>
constexpr BodyUse body_use() {
  if constexpr (requires { ExtractOf<Param>::kBody; }) {
    return ExtractOf<Param>::kBody;
  } else {
    return BodyUse::none;
  }
}

template <class Param>
constexpr bool is_from_path() {
  return requires { requires ExtractOf<Param>::kFromPath; };
}

template <class Param>
decltype(auto) extract(Request& request, [[maybe_unused]] std::size_t place) {
  if constexpr (is_from_path<Param>()) {
    return ExtractOf<Param>::from(request, place);
  } else {
    return ExtractOf<Param>::from(request);
  }
}

template <class Param>
constexpr bool extracts_later() {
  if constexpr (requires { ExtractOf<Param>::kTakesOver; }) {
    return false;
  } else {
    return TaskOf<std::remove_cvref_t<decltype(extract<Param>(std::declval<Request&>(), 0))>>::value;
  }
}
template <class Param>
inline constexpr bool kWaits = extracts_later<Param>();

}  // namespace web
}  // namespace volt::http
