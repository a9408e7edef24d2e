// SPDX-License-Identifier: MIT

// TestBrowser: one of several visitors of an app under test, with cookies of its own. Its requests have the fields by
// which an app recognizes requests of its own pages, so those to routes behind csrf() are accepted.
//
//   http::TestClient client(make_app());
//   http::TestBrowser ann = client.browser();
//   ann.post("/login").form({{"name", "ann"}, {"password", "secret"}}).send();
//   CHECK(ann.post("/notes").form({{"text", "milk"}}).send().status() == 303);
//   CHECK(client.browser().get("/notes").send().status() == 401);    // another visitor
//
// Threads: the test's thread. Lifetime: the browser and its requests must not outlive the TestClient.
// Errors: those of TestRequest.
#pragma once

#include <memory>
#include <string_view>

#include "http/message/method.h"
#include "http/testing/cookies.h"
#include "http/testing/request.h"
#include "http/testing/verbs.h"
#include "http/testing/web_socket.h"

namespace volt::http {

struct TestBrowserOptions {
  // Whether requests have Sec-Fetch-Site and Origin, as if TestRequest::same_origin() were called. False: a browser of
  // the years before 2020, whose forms need a token (TestRequest::csrf_token()).
  bool fetch_metadata = true;
};

class TestBrowser : public TestVerbs<TestBrowser> {
 public:
  explicit TestBrowser(testing::Harness& harness, const TestBrowserOptions& options = {});

  TestRequest request(Method method, std::string_view path);
  // Sends the WebSocket handshake and waits for the response.
  TestWebSocket websocket(std::string_view path, const TestWebSocketOptions& options = {});

  // Valid as long as the browser.
  TestCookies& cookies() noexcept { return *cookies_; }

 private:
  testing::Harness* harness_;
  TestBrowserOptions options_;
  std::shared_ptr<TestCookies> cookies_;  // shared with the requests, which may outlive the browser
};

}  // namespace volt::http
