// SPDX-License-Identifier: MIT

// Configured: a handler together with the options of the parameter, such as EventStream&, that takes over the response.
// It is made by http::with_options() and Group::ws().
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "http/web/internal/signature.h"

namespace volt::http::web {

template <class F, class Options>
class Configured {
 public:
  Configured(Options options, F function) : options_(std::move(options)), function_(std::move(function)) {}

  template <class... Args>
  std::invoke_result_t<F&, Args...> operator()(Args&&... args) {
    return std::invoke(function_, std::forward<Args>(args)...);
  }
  // Valid as long as the route.
  [[nodiscard]] const Options& options() const noexcept { return options_; }

 private:
  Options options_;
  F function_;
};

template <class F, class Options>
struct SignatureOf<Configured<F, Options>> : SignatureOf<F> {};

}  // namespace volt::http::web
