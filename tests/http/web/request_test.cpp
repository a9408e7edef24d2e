// SPDX-License-Identifier: MIT

#include "http/web/request.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/http/files/request_fields.h"

namespace volt::http {
TEST_SUITE_BEGIN("http/web/request");

TEST_CASE("an upgrade is requested by two fields in HTTP/1.1, RFC 9110 section 7.8") {
  const struct {
    std::string why;
    files::FieldPairs fields;
    bool asks;
    Version version = Version::http_1_1;
  } cases[] = {
      {"both", {{"Connection", "Upgrade"}, {"Upgrade", "websocket"}}, true},
      {"names are case-insensitive", {{"Connection", "UPGRADE"}, {"Upgrade", "WebSocket"}}, true},
      {"names in lists", {{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "h2c, websocket"}}, true},
      {"several fields", {{"Connection", "x"}, {"Connection", "upgrade"}, {"Upgrade", "websocket"}}, true},
      {"Connection does not name upgrade", {{"Upgrade", "websocket"}}, false},
      {"no Upgrade field", {{"Connection", "upgrade"}}, false},
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
