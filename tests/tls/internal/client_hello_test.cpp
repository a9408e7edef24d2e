// SPDX-License-Identifier: MIT

#include "tls/internal/client_hello.h"

#include <doctest/doctest.h>

#include <ostream>
#include <string>
#include <vector>

namespace volt::tls::internal {

TEST_SUITE_BEGIN("tls/internal/client_hello");

TEST_CASE("the host is read from the extension without reading beyond its end") {
  using namespace std::string_literals;
  struct Case {
    std::string why;
    std::string extension;
    std::string host;
  };
  const Case cases[] = {
      {"a host", "\0\x06\0\0\x03"s + "abc", "abc"},
      {"an empty extension", "", ""},
      {"an empty list", "\0\0"s, ""},
      {"an empty name", "\0\x03\0\0\0"s, ""},
      {"a length beyond the end", "\0\x06\0\0\x04"s + "abc", ""},
      {"a length far beyond the end", "\0\x06\0\xff\xff"s + "abc", ""},
      {"another kind of name", "\0\x06\x01\0\x03"s + "abc", ""},
      {"the first of several", "\0\x0c\0\0\x03"s + "abc\0\0\x03xyz"s, "abc"},
      {"a name over 255 bytes", "\x01\x03\0\x01\0"s + std::string(256, 'a'), ""},
      {"a name of 255 bytes", "\x01\x02\0\0\xff"s + std::string(255, 'a'), std::string(255, 'a')},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<unsigned char> extension(
        c.extension.begin(), c.extension.end());  // a copy of exact size, so that ASan detects reads beyond it
    CHECK(std::string(host_in(extension)) == c.host);
  }
}

}  // namespace volt::tls::internal
