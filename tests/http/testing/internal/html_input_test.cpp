// SPDX-License-Identifier: MIT

#include "http/testing/internal/html_input.h"

#include <doctest/doctest.h>

namespace volt::http::testing {

TEST_SUITE_BEGIN("http/testing/internal/html_input");

TEST_CASE("the value of an input element is found in a page") {
  const struct {
    std::string_view why, html;
    std::optional<std::string> want;
  } cases[] = {
      {"double quotes", R"(<form><input type="hidden" name="t" value="a b"></form>)", "a b"},
      {"single quotes, other order, upper case", "<INPUT VALUE='x>y' NAME='t'>", "x>y"},
      {"no quotes, XML style", "<input name=t value=1 />", "1"},
      {"spaces around '='", "<input name = \"t\" value\n=\n\"1\">", "1"},
      {"no value", "<input name=\"t\" disabled>", ""},
      {"the second element", R"(<p>1 < 2<input name="s" value="1"><input name="t" value="2">)", "2"},
      {"the first of two", R"(<input name="t" value="1"><input name="t" value="2">)", "1"},
      {"references", R"(<input name="t" value="&amp;&lt;&gt;&quot;&apos;&#39;&#x2F;&x;&">)", "&<>\"''/&x;&"},
      {"an element without attributes", R"(<input><input name="t" value="1">)", "1"},
      {"another element", R"(<inputs name="t" value="1"><textarea name="t" value="2">)", {}},
      {"another name", R"(<input name="token" value="1">)", {}},
      {"cut off", R"(<input name="t)", ""},
      {"nothing", "", {}},
  };
  for (const auto& [why, html, want] : cases) {
    CAPTURE(why);
    CHECK(input_value(html, "t") == want);
  }
}

}  // namespace volt::http::testing
