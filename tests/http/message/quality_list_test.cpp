// SPDX-License-Identifier: MIT

#include "http/message/quality_list.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "http/message/headers.h"

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/quality_list");

namespace {

// Returns `value=q` for each element, separated by spaces.
std::string shown(const QualityList& list) {
  std::string text;
  for (const auto& [value, q] : list) {
    if (!text.empty()) text += ' ';
    text.append(value).append("=").append(std::to_string(q));
  }
  return text;
}

}  // namespace

TEST_CASE("each element has its weight, RFC 9110 section 12.4.2") {
  const struct {
    std::string why;
    std::string line;
    std::string want;
  } cases[] = {
      {"without a weight the full one applies", "gzip", "gzip=1000"},
      {"a list in its order", "gzip;q=0.8, br;q=1.0, *;q=0", "gzip=800 br=1000 *=0"},
      {"white space around everything", " gzip ;\tq=0.5 ,\tbr ", "gzip=500 br=1000"},
      {"no white space at all", "gzip;q=0.5,br", "gzip=500 br=1000"},
      {"three decimals", "a;q=0.123,b;q=0.001,c;q=0.999", "a=123 b=1 c=999"},
      {"fewer decimals", "a;q=0.1,b;q=0.12,c;q=0.,d;q=0,e;q=1,f;q=1.,g;q=1.000",
       "a=100 b=120 c=0 d=0 e=1000 f=1000 g=1000"},
      {"the name of the weight is case-insensitive", "a;Q=0.5", "a=500"},
      {"5.6.1: empty elements", ", a,, ,b,", "a=1000 b=1000"},
      {"an empty list", "", ""},
      {"commas and space only", " , ,", ""},
      {"languages", "en-GB, en;q=0.7, *;q=0.1", "en-GB=1000 en=700 *=100"},
      {"media ranges", "text/*;q=0.3, */*;q=0.1, text/html", "text/*=300 */*=100 text/html=1000"},
      {"12.5.1: parameters belong to the range", "text/html;level=1;q=0.4", "text/html;level=1=400"},
      {"12.5.1: parameters after the weight do not", "text/html;q=0.4;level=1", "text/html=400"},
      {"commas and semicolons in quotes", "a/b;x=\"1,2;q=0\";q=0.4, c", "a/b;x=\"1,2;q=0\"=400 c=1000"},
      {"escaped quotes", "a/b;x=\"1\\\",2\", c", "a/b;x=\"1\\\",2\"=1000 c=1000"},
      {"5.6.6: empty parameters", "a;;q=0.5;", "a=500"},

      {"four decimals", "a;q=0.1234, b", "b=1000"},
      {"above one", "a;q=1.001, b;q=2, c;q=1.1, d", "d=1000"},
      {"no digit first", "a;q=.5, b;q=, c;q=x, d", "d=1000"},
      {"signs and exponents", "a;q=-0, b;q=+1, c;q=1e0, d", "d=1000"},
      {"two digits before the point", "a;q=00.5, b;q=01, c", "c=1000"},
      {"letters in the decimals", "a;q=0.5x, b", "b=1000"},
      {"a comma for the point ends the element", "a;q=0,5", "a=0 5=1000"},
      {"a weight in quotes", "a;q=\"0.5\", b", "b=1000"},
      {"two weights", "a;q=0.5;q=1, b", "b=1000"},
      {"a weight without a value", ";q=0.5, b", "b=1000"},
      {"two words", "gzip br, c", "c=1000"},
      {"half a media range", "text/, /html, a/b/c, d", "d=1000"},
      {"a parameter without value", "a;q, b;x, c", "c=1000"},
      {"space around the equals sign", "a;q =0.5, b;q= 0.5, c", "c=1000"},
      {"quotes that stay open", "a, b;x=\"c, d", "a=1000"},
      {"a quote for a name", "\"gzip\", b", "b=1000"},
      {"a byte of the upper half", "g\xc3\xa9, b", "b=1000"},
  };
  for (const auto& [why, line, want] : cases) {
    CAPTURE(why);
    CHECK(shown(QualityList(line)) == want);
  }
}

TEST_CASE("several lines form one list, RFC 9110 section 5.3") {
  const std::vector<std::string_view> lines = {"gzip;q=0.5", "", "br, zstd;q=0"};
  CHECK(shown(QualityList(lines)) == "gzip=500 br=1000 zstd=0");

  const std::string head = "Accept: a\r\nX: x\r\naccept: b;q=0.1\r\n";
  const std::vector<FieldSpan> spans = {{0, 6, 8, 1}, {11, 1, 14, 1}, {17, 6, 25, 7}};
  const Fields fields(head.data(), spans);
  CHECK(shown(QualityList(fields.all("Accept"))) == "a=1000 b=100");
}

TEST_CASE("no more than 32 elements are kept, over all lines") {
  std::string line = "x;q=2";  // skipped: it does not count
  for (int i = 0; i < 31; ++i) line += ",a";
  QualityList list(line);
  CHECK(list.size() == 31);
  list.add("b,c");
  REQUIRE(list.size() == QualityList::kElementsMax);
  CHECK(list[31].value == "b");
  list.add("d");
  CHECK(list.size() == QualityList::kElementsMax);
}

TEST_SUITE_END();
}  // namespace volt::http::message
