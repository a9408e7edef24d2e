// SPDX-License-Identifier: MIT

// Extract<T>: makes a handler's parameter of type T from a request. It is specialized for Path, Query, Json and the
// other extractors. For a type of your own, specialize it or give the type a static function `from`:
//
//   struct CurrentUser { ...; static Task<CurrentUser> from(Request& request); };   // or CurrentUser from(...)
//   Task<Page> home(CurrentUser user);
//
// `from` throws a Problem to reject the request.
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

// How a handler uses the body of a request. The server reads or discards the body accordingly.
enum class BodyUse : std::uint8_t {
  none,      // The body is discarded.
  whole,     // The body is read before the handler is called.
  streamed,  // The handler reads the body piece by piece.
};

// A value or a path parameter that a handler needs. The server checks, before it starts, that each route provides the
// requirements of its handler.
struct Requirement {
  enum class Kind : std::uint8_t { state, provided, param, place };
  Kind kind;
  message::TypeId type = nullptr;
  std::string_view name;  // of the type or of the path parameter; for a `place`, what the handler takes next
};

// Optional members of a specialization, beside `from`:
//   static constexpr BodyUse kBody;                   how the body is used; the default is BodyUse::none
//   static constexpr Requirement kRequirement;        a value or parameter that must exist
//   static constexpr bool kFromPath;                  takes the next path parameter; `from` receives its index
//   static constexpr bool kIsBody;                    consumes the body; a handler takes one such parameter at most
//   static constexpr bool kUsable;                    whether T can be used; if not, `Mistake` is instantiated:
//   using Mistake = ..;                               a class with a static_assert that states what is wrong
//   static void describe(openapi::Operation&);        describes the parameter: see http/web/operation.h
template <class T>
struct Extract {
  static auto from(Request& request)
    requires requires { T::from(request); }
  {
    return T::from(request);
  }
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
