#include "http/message/hop_by_hop.h"

#include <doctest/doctest.h>

#include <ostream>
#include <string>

#include "tests/http/message/fields_of.h"

namespace volt::http::message {

TEST_SUITE_BEGIN("http/message/hop_by_hop");

TEST_CASE("a proxy passes on what is neither the connection's nor named by it") {
  const FieldsOf fields{{"Connection", "close, X-Hop"}, {"connection", "x-other"}, {"X-Hop", "1"}, {"X-Other", "2"}};
  struct Case {
    std::string why;
    std::string name;
    bool want;
  };
  const Case cases[] = {
      {"an ordinary one", "Accept", true},
      {"one that Connection names, in another case", "x-hop", false},
      {"one that a second Connection names", "X-Other", false},
      {"Connection", "Connection", false},
      {"who says where the body ends", "Content-Length", false},
      {"and how", "transfer-encoding", false},
      {"another protocol", "UPGRADE", false},
      {"what was never a standard", "Proxy-Connection", false},
      {"a longer name", "Connection-Id", true},
  };
  for (const auto& [why, name, want] : cases) {
    CAPTURE(why);
    CHECK(is_end_to_end(fields.view(), name) == want);
  }
}

}  // namespace volt::http::message
