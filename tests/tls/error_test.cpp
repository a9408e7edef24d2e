// SPDX-License-Identifier: MIT

#include "tls/error.h"

#include <doctest/doctest.h>

#include <ostream>
#include <set>
#include <string>

namespace volt::tls {

TEST_SUITE_BEGIN("tls/error");

TEST_CASE("every error has a distinct code and a distinct message") {
  std::set<std::string> sentences;
  for (int value = 1; value <= static_cast<int>(Error::internal); ++value) {
    const std::error_code code = static_cast<Error>(value);
    CHECK(code);
    CHECK(code == static_cast<Error>(value));
    CHECK(code.category().name() == std::string("tls"));
    sentences.insert(code.message());
  }
  CHECK(sentences.size() == static_cast<std::size_t>(Error::internal));
  CHECK(sentences.count("unknown TLS error") == 0);
}

}  // namespace volt::tls
