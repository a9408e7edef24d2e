// SPDX-License-Identifier: MIT

// The checks of handlers, and the sentences that the compiler prints for a wrong handler.
//
// kIsHandler<F> is true if F is a handler. If it is false, HandlerMistake<F> is instantiated, whose assertion states
// the reason (reflect/wrong_type.h describes these two steps). The compiler's output names the wrong parameter or
// result.
//
// Threads: constants.
#pragma once

#include <cstddef>
#include <type_traits>

#include "http/web/argument.h"
#include "http/web/internal/call.h"
#include "http/web/internal/signature.h"
#include "http/web/into_response.h"
#include "http/web/request.h"
#include "reflect/wrong_type.h"
#include "runtime/task.h"

namespace volt::http::web {

using reflect::AllRight;
using reflect::Wrong;

template <class F>
using SignatureFor = SignatureOf<
    std::conditional_t<std::is_function_v<std::remove_reference_t<F>>, std::add_pointer_t<F>, std::remove_cvref_t<F>>>;
template <class F>
using CallFor = typename SignatureFor<F>::template Apply<Call>;

template <class Param>
concept Extractable = requires(Request& request) { ExtractOf<Param>::from(request); } ||
                      requires(Request& request) { ExtractOf<Param>::from(request, std::size_t()); };

template <class Param>
inline constexpr bool kIsRequestCopy = std::is_same_v<std::remove_cv_t<Param>, Request>;
template <class Param>
inline constexpr bool kIsKnown = kTakesOver<Param> || Extractable<Param>;
template <class Param>
inline constexpr bool kTakesOverACopy = kTakesOver<Param> && !std::is_lvalue_reference_v<Param>;

template <class Param>
consteval bool is_parameter() {
  if constexpr (kIsRequestCopy<Param> || !kIsKnown<Param> || kTakesOverACopy<Param>) {
    return false;
  } else if constexpr (requires { ExtractOf<Param>::kUsable; }) {
    return ExtractOf<Param>::kUsable;
  } else {
    return true;
  }
}
template <class Param>
inline constexpr bool kIsParameter = is_parameter<Param>();

template <class Param>
struct MistakeOf {};
template <class Param>
  requires requires { typename ExtractOf<Param>::Mistake; }
struct MistakeOf<Param> : ExtractOf<Param>::Mistake {};

template <class Param>
struct ParameterMistake : MistakeOf<Param> {};
template <class Param>
  requires(kIsRequestCopy<Param> || !kIsKnown<Param> || kTakesOverACopy<Param>)
struct ParameterMistake<Param> {
  static_assert(!kIsRequestCopy<Param>, "a handler takes the request by reference: Request&");
  static_assert(kIsRequestCopy<Param> || kIsKnown<Param>,
                "a handler's parameter is Request&, an extractor (Path, Query, Json, State, ...), or a type with a "
                "static from(Request&)");
  static_assert(!kTakesOverACopy<Param>, "a handler takes an EventStream& or a WebSocket& by reference");
};

template <class Param>
inline constexpr bool kIsBody = requires { requires ExtractOf<Param>::kIsBody; };

// Finds the first wrong parameter, and checks that at most one parameter consumes the body.
template <class... Params>
struct WrongParameter {
  using Found = decltype((AllRight() | ... | std::conditional_t<kIsParameter<Params>, AllRight, Wrong<Params>>()));
  static constexpr bool kOneBody = (std::size_t{kIsBody<Params>} + ... + 0) <= 1;
  static constexpr bool kIsRight = reflect::kIsRight<Found> && kOneBody;
};

template <class Found>
struct ParametersMistake {
  static_assert(!reflect::kIsRight<Found>,
                "a request has one body, so a handler takes at most one of Json, Form, Multipart and BodyStream; to "
                "accept several media types, take Request&");
};
template <class Param>
struct ParametersMistake<Wrong<Param>> : ParameterMistake<Param> {};

template <class F>
using HandlerResult = std::remove_cvref_t<typename SignatureFor<F>::Result>;
template <class F>
inline constexpr bool kHasParameters = SignatureFor<F>::template Apply<WrongParameter>::kIsRight;

template <class F>
inline constexpr bool kMayDangle = std::is_reference_v<typename SignatureFor<F>::Result>;

template <class F>
consteval bool is_handler() {
  if constexpr (!SignatureFor<F>::kIsKnown || kMayDangle<F> || SignatureFor<F>::kIsMutable) {
    return false;
  } else if constexpr (!kHasParameters<F>) {
    return false;
  } else if constexpr (CallFor<F>::kTakesOver) {
    return std::is_same_v<HandlerResult<F>, Task<>> && !CallFor<F>::kWaits;
  } else {
    return kIsResult<typename TaskOf<HandlerResult<F>>::Value>;
  }
}
template <class F>
inline constexpr bool kIsHandler = is_handler<F>();

// States the mistake in a handler that takes over the response, such as the handler of an event stream.
template <class Result, bool waits>
struct TakeoverMistake {
  static_assert(std::is_same_v<Result, Task<>>,
                "a handler that takes an event stream or a WebSocket is a coroutine Task<>");
  static_assert(!waits, "a handler of an event stream or a WebSocket cannot take parameters that wait");
};

template <class F>
consteval auto mistake_of_handler() {
  if constexpr (!kHasParameters<F>) {
    return std::type_identity<ParametersMistake<typename SignatureFor<F>::template Apply<WrongParameter>::Found>>();
  } else if constexpr (CallFor<F>::kTakesOver) {
    return std::type_identity<TakeoverMistake<HandlerResult<F>, CallFor<F>::kWaits>>();
  } else {
    return std::type_identity<ResultMistake<WrongInResult<typename TaskOf<HandlerResult<F>>::Value>>>();
  }
}

// Instantiated if F is not a handler; its assertions state the reason.
template <class F>
struct HandlerMistake : decltype(mistake_of_handler<F>())::type {};
template <class F>
  requires(!SignatureFor<F>::kIsKnown || kMayDangle<F> || SignatureFor<F>::kIsMutable)
struct HandlerMistake<F> {
  static_assert(!SignatureFor<F>::kIsMutable,
                "several workers call a handler at once, so its call operator is const: a lambda is not mutable, and "
                "what changes is in app.state(), as an atomic or with a lock");
  static_assert(!kMayDangle<F>,
                "a handler returns a value, not a reference: what it refers to may be gone before the response is "
                "sent");
  static_assert(SignatureFor<F>::kIsKnown,
                "a handler is a function or lambda whose parameters have types: Request& or extractors such as "
                "Path<int>, neither auto nor overloads");
};

struct NoMistake {};
template <class F>
using HandlerMistakeIfAny =
    std::conditional_t<kIsHandler<F>, std::type_identity<NoMistake>, std::type_identity<HandlerMistake<F>>>::type;

}  // namespace volt::http::web
