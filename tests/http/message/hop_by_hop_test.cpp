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
  for (const auto& [why, name, want] : cases) {
    CAPTURE(why);
    CHECK(is_end_to_end(fields.view(), name) == want);
  }
}

}  // namespace volt::http::message
