// SPDX-License-Identifier: MIT

// The checks of spawn(): what may be spawned, and the sentence that the compiler prints otherwise.
//
// A call operator that is neither overloaded nor a template has parameter types, which are checked. Otherwise the types
// depend on the arguments, and the call operator is required to have an overload that takes exactly the types of the
// arguments, by value. This refuses `const auto&`, which binds to the caller's variable, but also an overload that
// takes an argument only after a conversion.
//
// Threads: constants.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/coro/promise.h"

namespace volt::sched {

template <class T>
inline constexpr bool kIsView = false;
template <class Char, class Traits>
inline constexpr bool kIsView<std::basic_string_view<Char, Traits>> = true;
template <class T, std::size_t extent>
inline constexpr bool kIsView<std::span<T, extent>> = true;

template <class T>
inline constexpr bool kIsReferenceWrapper = false;
template <class T>
inline constexpr bool kIsReferenceWrapper<std::reference_wrapper<T>> = true;

// Named in the compiler's output, so that it shows which parameter is wrong.
template <class Param>
struct SpawnedParameter {
  static_assert(!std::is_reference_v<Param>,
                "a spawned coroutine takes its parameters by value: the caller's variables may be gone when it runs");
  static_assert(!std::is_pointer_v<Param>,
                "a spawned coroutine takes owners (std::unique_ptr, std::shared_ptr), not "
                "pointers: what they point to may be gone when it runs");
  static_assert(!kIsView<std::remove_cv_t<Param>>,
                "a spawned coroutine owns what it reads: take std::string, std::vector or another owner, not a "
                "std::string_view or std::span");
  static_assert(!kIsReferenceWrapper<std::remove_cv_t<Param>>,
                "a spawned coroutine takes no std::reference_wrapper: share the object (std::shared_ptr), or, where it "
                "outlives the task, take volt::Borrowed and pass volt::borrow(object)");
};

template <class... Params>
struct SpawnedParameters {
  static_assert((sizeof(SpawnedParameter<Params>) + ... + 1) > 0);  // instantiates each
};

template <class R, class... Params>
SpawnedParameters<Params...> parameters_of(R (*)(Params...));
template <class R, class F, class... Params>
SpawnedParameters<Params...> parameters_of(R (F::*)(Params...));
template <class R, class F, class... Params>
SpawnedParameters<Params...> parameters_of(R (F::*)(Params...) const);

template <class F, class R, class... Params>
concept TakesExactly = requires { static_cast<R (F::*)(Params...) const>(&F::operator()); } || requires {
  static_cast<R (F::*)(Params...)>(&F::operator());
} || requires { static_cast<R (*)(Params...)>(&F::operator()); };

// The type of the value of the task that a callable returns.
template <class T>
struct TaskValue {
  static_assert(std::is_same_v<T, Task<void>>, "this function takes a coroutine: a callable that returns a Task");
  using Type = void;
};
template <class T>
struct TaskValue<Task<T>> {
  using Type = T;
};

template <class F, class... Args>
struct CalledWith {
  static_assert(std::is_invocable_v<F, Args...>, "the coroutine cannot be called with these arguments");
  using Type = void;
};
template <class F, class... Args>
  requires std::is_invocable_v<F, Args...>
struct CalledWith<F, Args...> : TaskValue<std::invoke_result_t<F, Args...>> {};

template <class F, class... Args>
using SpawnedValue = typename CalledWith<F, Args...>::Type;

template <class F, class... Args>
constexpr void check_spawnable() {
  if constexpr (std::is_pointer_v<F>) {
    static_cast<void>(sizeof(decltype(parameters_of(F()))));
  } else {
    static_assert(std::is_empty_v<F>, "a spawned callable captures nothing: pass what it needs as arguments, by value");
    if constexpr (requires { &F::operator(); }) {
      static_cast<void>(sizeof(decltype(parameters_of(&F::operator()))));
    } else {
      static_cast<void>(sizeof(SpawnedParameters<std::decay_t<Args>...>));
      static_assert(TakesExactly<F, std::invoke_result_t<F&, Args...>, std::decay_t<Args>...>,
                    "a spawned callable with an overloaded or generic call operator takes exactly the types of the "
                    "arguments, by value: write the types of its parameters, and pass arguments of these types");
    }
  }
}

// Calls a coroutine that will be spawned, or refuses it.
template <class F, class... Args>
Task<SpawnedValue<F, Args...>> call_spawned(F& function, Args&&... args) {
  if constexpr (requires { Task<SpawnedValue<F, Args...>>(function(std::forward<Args>(args)...)); }) {
    check_spawnable<F, Args...>();
    return function(std::forward<Args>(args)...);
  } else {
    std::unreachable();  // SpawnedValue has refused the callable
  }
}

}  // namespace volt::sched
