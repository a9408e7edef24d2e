// SPDX-License-Identifier: MIT

#include "http/testing/internal/multipart_body.h"

#include <doctest/doctest.h>

namespace volt::http::testing {

TEST_SUITE_BEGIN("http/testing/internal/multipart_body");

TEST_CASE("a multipart body is what a browser sends") {
  const std::vector<Part> parts = {
      {.name = "title", .content = "Lake", .filename = {}, .content_type = {}},
      {.name = "a\"b", .content = "x\r\n", .filename = "c\r\nd.txt", .content_type = "text/plain"},
  };
  CHECK(multipart_body(parts, "b") ==
        "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nLake\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"a%22b\"; filename=\"c%0D%0Ad.txt\"\r\n"
        "Content-Type: text/plain\r\n\r\nx\r\n\r\n--b--\r\n");
}

TEST_CASE("the boundary occurs in no part") {
  std::vector<Part> parts = {{.name = "a", .content = "", .filename = {}, .content_type = {}}};
  const std::string first = boundary_for(parts);
  parts[0].content = "\r\n--" + first + "--\r\n";
  const std::string second = boundary_for(parts);
  CHECK(second != first);
  CHECK_FALSE(parts[0].content.contains(second));
}

}  // namespace volt::http::testing
