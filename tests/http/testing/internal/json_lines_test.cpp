// SPDX-License-Identifier: MIT

#include "http/testing/internal/json_lines.h"

#include <doctest/doctest.h>

namespace volt::http::testing {

TEST_SUITE_BEGIN("http/testing/internal/json_lines");

TEST_CASE("JSON is written with one member or element a line") {
  const struct {
    std::string_view json, want;
  } cases[] = {
      {R"({"a":1,"b":[true,null],"c":{}})", "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {}\n}\n"},
      {R"(["{,:\"\\",[],"[" ])", "[\n  \"{,:\\\"\\\\\",\n  [],\n  \"[\"\n]\n"},
      {"-1.5e3", "-1.5e3\n"},
  };
  for (const auto& [json, want] : cases) {
    CAPTURE(json);
    CHECK(json_lines(json) == want);
    CHECK(json_lines(want) == want);
  }
  CHECK(json_lines("\"cut off") == "\"cut off\n");
  CHECK(json_lines("\"cut off\\") == "\"cut off\\\n");
  CHECK(json_lines("]") == "\n]\n");
}

}  // namespace volt::http::testing
