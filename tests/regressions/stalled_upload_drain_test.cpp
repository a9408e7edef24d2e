// SPDX-License-Identifier: MIT

// A handler that reads an upload waits for each byte of the client with a deadline. Each time a draining server woke
// the connection, the wait restarted with a new deadline. So a client that had sent much data and then stalled delayed
// the drain: for hours, if only the average rate was limited. Found by tests/simulation.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "http/web/extract.h"
#include "tests/support/engine.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

Task<> read_all(http::BodyStream body) {
  while (co_await body.read()) {
  }
}

TEST_SUITE_BEGIN("regressions/stalled_upload_drain");

TEST_CASE("a stalled upload ends at its deadline although the server drains") {
  http::App app;
  app.post("/", read_all);
  http::TestClient client(std::move(app), {.server = {.stall_timeout = 3s}, .io = test_options().io});
  auto upload = client.raw();
  const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
  upload.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);
  client.start_drain();
  for (int nudges = 0; nudges != 40; ++nudges) {
    client.clock().advance(100ms);
    client.server().nudge();
  }
  client.clock().settle();
  CHECK(upload.peek().starts_with("HTTP/1.1 408"));
}

TEST_SUITE_END();

}  // namespace
}  // namespace volt
