// SPDX-License-Identifier: MIT

#include "http/message/hop_by_hop.h"

#include <doctest/doctest.h>

#include <ostream>
#include <string>

#include "tests/http/message/fields_of.h"

namespace volt::http::message {

TEST_SUITE_BEGIN("http/message/hop_by_hop");

TEST_CASE("a proxy forwards fields that neither belong to the connection nor are listed in Connection") {
  const FieldsOf fields{{"Connection", "close, X-Hop"}, {"connection", "x-other"}, {"X-Hop", "1"}, {"X-Other", "2"}};
  struct Case {
    std::string why;
    std::string name;
    bool want;
  };
  const Case cases[] = {
      {"an ordinary field", "Accept", true},
      {"a field listed in Connection, in another case", "x-hop", false},
      {"a field listed in a second Connection", "X-Other", false},
      {"Connection", "Connection", false},
      {"the length of the body", "Content-Length", false},
      {"the framing of the body", "transfer-encoding", false},
      {"an offer of another protocol", "UPGRADE", false},
      {"a field that was never standardized", "Proxy-Connection", false},
      {"a longer name that begins with Connection", "Connection-Id", true},
  };
  const EndToEndFields end_to_end(fields.view());
  for (const auto& [why, name, want] : cases) {
    CAPTURE(why);
    CHECK(end_to_end.contains(name) == want);
  }
}

TEST_CASE("a Connection field of any number of options names hop-by-hop fields") {
  std::string options(2000, ',');
  for (int i = 0; i != 500; ++i) options += "no-such-field-" + std::to_string(i) + ", ";
  const FieldsOf fields{{"X-First", "1"},
                        {"Connection", options + "x-LAST, ,x-twice,x-twice"},
                        {"x-twice", "a"},
                        {"X-Twice", "b"},
                        {"X-Last", "2"}};
  const EndToEndFields end_to_end(fields.view());
  CHECK(end_to_end.contains("X-First"));
  CHECK_FALSE(end_to_end.contains("X-Last"));
  CHECK_FALSE(end_to_end.contains("X-Twice"));
  CHECK_FALSE(end_to_end.contains("Connection"));
}

}  // namespace volt::http::message
