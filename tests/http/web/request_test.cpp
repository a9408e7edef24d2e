#include "http/web/request.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/http/files/request_fields.h"

namespace volt::http {
TEST_SUITE_BEGIN("http/request");

TEST_CASE("an upgrade is asked for by two fields, in HTTP/1.1, RFC 9110 section 7.8") {
  const struct {
    std::string why;
    files::FieldPairs fields;
    bool asks;
    Version version = Version::http_1_1;
  } cases[] = {
      {"both", {{"Connection", "Upgrade"}, {"Upgrade", "websocket"}}, true},
      {"names are case-blind, here too", {{"Connection", "UPGRADE"}, {"Upgrade", "WebSocket"}}, true},
      {"in lists", {{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "h2c, websocket"}}, true},
      {"over several fields", {{"Connection", "x"}, {"Connection", "upgrade"}, {"Upgrade", "websocket"}}, true},
      {"only if Connection says so", {{"Upgrade", "websocket"}}, false},
      {"only if there is one", {{"Connection", "upgrade"}}, false},
      {"another protocol", {{"Connection", "upgrade"}, {"Upgrade", "websocket2"}}, false},
      {"not in HTTP/1.0", {{"Connection", "upgrade"}, {"Upgrade", "websocket"}}, false, Version::http_1_0},
  };
  for (const auto& [why, pairs, asks, version] : cases) {
    CAPTURE(why);
    const files::RequestFields fields(pairs);
    const Request request(message::RequestHead{.version = version, .fields = fields.view()});
    CHECK(request.requests_upgrade("websocket") == asks);
  }
}

TEST_SUITE_END();
}  // namespace volt::http
