// SPDX-License-Identifier: MIT

#include "http/route/method_set.h"

#include <doctest/doctest.h>

namespace volt::http::route {
TEST_SUITE_BEGIN("http/route/method_set");

TEST_CASE("a set contains the inserted methods once each and lists them in a fixed order") {
  MethodSet methods;
  CHECK(methods.empty());
  CHECK(to_allow_field(methods).empty());
  methods.insert(Method::options);
  methods.insert(Method::get);
  methods.insert(Method::get);
  CHECK(methods.contains(Method::get));
  CHECK(!methods.contains(Method::head));
  CHECK(to_allow_field(methods) == "GET, OPTIONS");

  MethodSet others;
  others.insert(Method::version_control);
  others.insert(methods);
  others.erase(Method::get);
  others.erase(Method::put);
  CHECK(to_allow_field(others) == "OPTIONS, VERSION-CONTROL");
  CHECK(others != methods);
}

TEST_SUITE_END();
}  // namespace volt::http::route
