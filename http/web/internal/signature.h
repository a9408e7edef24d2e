// SPDX-License-Identifier: MIT

// Signature: the parameter types and the result type of a callable.
#pragma once

#include <type_traits>
#include <utility>

#include "http/web/request.h"

namespace volt::http::web {

template <class R, class... Params>
struct Signature {
  static constexpr bool kIsKnown = true;
  static constexpr bool kIsMutable = false;
  using Result = R;
  template <template <class...> class Template>
  using Apply = Template<Params...>;
};

// The signature of a call operator that is not const, such as that of a mutable lambda.
template <class R, class... Params>
struct MutableSignature : Signature<R, Params...> {
  static constexpr bool kIsMutable = true;
};

template <class F>
struct MemberSignature;
template <class R, class C, class... Params>
struct MemberSignature<R (C::*)(Params...)> : MutableSignature<R, Params...> {};
template <class R, class C, class... Params>
struct MemberSignature<R (C::*)(Params...) const> : Signature<R, Params...> {};
template <class R, class C, class... Params>
struct MemberSignature<R (C::*)(Params...) noexcept> : MutableSignature<R, Params...> {};
template <class R, class C, class... Params>
struct MemberSignature<R (C::*)(Params...) const noexcept> : Signature<R, Params...> {};

struct UnknownSignature : Signature<void> {
  static constexpr bool kIsKnown = false;
};

// A callable whose call operator is a template, such as `[](auto& request)`, is assumed to take the request.
template <class F>
auto signature_of_call(int) -> Signature<decltype(std::declval<F&>()(std::declval<Request&>())), Request&>;
template <class F>
UnknownSignature signature_of_call(...);

template <class F>
struct SignatureOf : decltype(signature_of_call<F>(0)) {};
template <class F>
  requires requires { &F::operator(); }
struct SignatureOf<F> : MemberSignature<decltype(&F::operator())> {};
template <class R, class... Params>
struct SignatureOf<R (*)(Params...)> : Signature<R, Params...> {};
template <class R, class... Params>
struct SignatureOf<R (*)(Params...) noexcept> : Signature<R, Params...> {};

}  // namespace volt::http::web
