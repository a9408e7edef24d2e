// SPDX-License-Identifier: MIT

// TestVerbs: get(), post() and the like, for a class that has request(Method, path).
//
// Threads: the test's thread.
#pragma once

#include <string_view>

#include "http/message/method.h"
#include "http/testing/request.h"

namespace volt::http {

template <class Derived>
class TestVerbs {
 public:
  // `path` is sent unchanged. It must be percent-encoded where necessary, and may contain a query.
  TestRequest get(std::string_view path) { return derived().request(Method::get, path); }
  TestRequest head(std::string_view path) { return derived().request(Method::head, path); }
  TestRequest post(std::string_view path) { return derived().request(Method::post, path); }
  TestRequest put(std::string_view path) { return derived().request(Method::put, path); }
  TestRequest patch(std::string_view path) { return derived().request(Method::patch, path); }
  TestRequest del(std::string_view path) { return derived().request(Method::del, path); }
  TestRequest options(std::string_view path) { return derived().request(Method::options, path); }

 private:
  friend Derived;
  TestVerbs() = default;

  Derived& derived() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace volt::http
