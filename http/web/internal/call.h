// SPDX-License-Identifier: MIT

// Call: calls a function with arguments made from the request.
//
// Storage of the arguments: a plain function's arguments are in the caller's frame. A coroutine's arguments must live
// until the coroutine ends. Arguments that it takes by value are in its own frame. If it takes an argument by
// reference, or if an extractor waits, an enclosing coroutine stores all arguments.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/web/argument.h"
#include "http/web/request.h"
#include "runtime/task.h"

namespace volt::http::web {

// True for a parameter, such as EventStream&, that takes over the response instead of being made from the request. A
// function with such a parameter is called after the head of the response has been composed.
template <class Param>
inline constexpr bool kTakesOver = requires { requires ExtractOf<Param>::kTakesOver; };

struct Later {};  // Placeholder for the argument that takes over the response.

template <class Param>
decltype(auto) extract_now(Request& request, std::size_t place) {
  if constexpr (kTakesOver<Param>) {
    return Later{};
  } else {
    return extract<Param>(request, place);
  }
}

template <class Param>
using Argument = decltype(extract_now<Param>(std::declval<Request&>(), 0));

// Storage for an argument while other extractors wait; Request& is stored as a pointer.
template <class Param, class Value = typename TaskOf<Argument<Param>>::Value>
using Slot = std::conditional_t<std::is_reference_v<Value>, std::remove_reference_t<Value>*,
                                std::optional<std::remove_cvref_t<Value>>>;

template <class... Params>
class Call {
 public:
  static constexpr BodyUse kBody = [] {
    BodyUse use = BodyUse::none;
    ((use = body_use<Params>() > use ? body_use<Params>() : use), ...);
    return use;
  }();
  static constexpr std::size_t kFromPath = (std::size_t{is_from_path<Params>()} + ... + 0);
  static constexpr bool kWaits = (web::kWaits<Params> || ...);
  static constexpr bool kTakesOver = (web::kTakesOver<Params> || ...);
  // True if the function takes all its parameters by value, except that it may take Request&.
  static constexpr bool kOwns =
      ((!std::is_reference_v<Params> || std::is_same_v<Params, Request&> || std::is_same_v<Params, const Request&>) &&
       ...);

  using Arguments = std::tuple<Argument<Params>...>;

  static std::vector<Requirement> requirements() {
    std::vector<Requirement> all;
    (add_requirement<Params>(all), ...);
    return all;
  }

  static void describe(openapi::Operation& operation) { (describe_one<Params>(operation), ...); }

  // Braces guarantee that arguments are made in the order of the parameters.
  static Arguments arguments(Request& request) {
    return [&]<std::size_t... index>(std::index_sequence<index...>) {
      return Arguments{extract_now<Params>(request, path_place<index>(request))...};
    }(std::index_sequence_for<Params...>{});
  }

  // Storage for arguments if extractors wait; empty until gather() has filled it.
  using Gathered = std::tuple<Slot<Params>...>;
  static Task<> gather(Request& request, Gathered& gathered) { return gather_from<0>(request, gathered); }

  static auto begin_arguments(Request& request) {
    if constexpr (kWaits) {
      return Gathered();
    } else {
      return arguments(request);
    }
  }

  // Calls the function. `arguments` is an Arguments, or a Gathered that is complete.
  template <class F, class Tuple>
  static decltype(auto) apply(F& function, Tuple& arguments) {
    return std::apply(
        [&](auto&... argument) -> decltype(auto) {
          if constexpr (std::is_same_v<Tuple, Arguments>) {
            return function(pass<Params>(argument)...);
          } else {
            return function(pass<Params>(*argument)...);
          }
        },
        arguments);
  }
  // Calls the function. `takes_over` is the argument of the parameter that takes over the response.
  template <class F, class TakesOver>
  static decltype(auto) apply(F& function, Arguments& arguments, TakesOver& takes_over) {
    return std::apply(
        [&](auto&... argument) -> decltype(auto) { return function(pass_either<Params>(argument, takes_over)...); },
        arguments);
  }

 private:
  // Returns the index, within the pattern, of the path parameter for the function's parameter `index`. The function
  // takes the last kFromPath path parameters of the pattern, in order; the path parameters before them belong to the
  // prefixes of groups.
  template <std::size_t index>
  static std::size_t path_place(const Request& request) noexcept {
    constexpr std::size_t before = [] {
      constexpr std::array<bool, sizeof...(Params) + 1> from_path{is_from_path<Params>()..., false};
      std::size_t count = 0;
      for (std::size_t i = 0; i != index; ++i) count += from_path[i];
      return count;
    }();
    return request.param_count() - kFromPath + before;
  }

  template <std::size_t index>
  static Task<> gather_from(Request& request, Gathered& gathered) {
    if constexpr (index < sizeof...(Params)) {
      using Param = std::tuple_element_t<index, std::tuple<Params...>>;
      if constexpr (std::is_reference_v<Argument<Param>>) {
        std::get<index>(gathered) = &extract<Param>(request, path_place<index>(request));
      } else if constexpr (web::kWaits<Param>) {
        std::get<index>(gathered).emplace(co_await extract<Param>(request, path_place<index>(request)));
      } else {
        std::get<index>(gathered).emplace(extract<Param>(request, path_place<index>(request)));
      }
      co_await gather_from<index + 1>(request, gathered);
    }
    co_return;
  }

  template <class Param, class T>
  static decltype(auto) pass(T& argument) {
    if constexpr (std::is_lvalue_reference_v<Param>) {
      return static_cast<std::remove_reference_t<Param>&>(argument);
    } else {
      return std::move(argument);
    }
  }

  template <class Param, class T, class TakesOver>
  static decltype(auto) pass_either(T& argument, TakesOver& takes_over) {
    if constexpr (web::kTakesOver<Param>) {
      return (takes_over);
    } else {
      return pass<Param>(argument);
    }
  }

  template <class Param>
  static void describe_one(openapi::Operation& operation) {
    if constexpr (requires { ExtractOf<Param>::describe(operation); }) ExtractOf<Param>::describe(operation);
  }

  template <class Param>
  static void add_requirement(std::vector<Requirement>& all) {
    if constexpr (requires { ExtractOf<Param>::kRequirement; }) all.push_back(ExtractOf<Param>::kRequirement);
    if constexpr (is_from_path<Param>()) all.push_back({.kind = Requirement::Kind::place, .name = "a path parameter"});
  }
};

}  // namespace volt::http::web
