// SPDX-License-Identifier: MIT

#include "http/testing/browser.h"

namespace volt::http {

TestBrowser::TestBrowser(testing::Harness& harness, const TestBrowserOptions& options)
    : harness_(&harness), options_(options), cookies_(std::make_shared<TestCookies>()) {}

TestRequest TestBrowser::request(Method method, std::string_view path) {
  TestRequest request(*harness_, method, path, cookies_);
  if (options_.fetch_metadata) request.same_origin();
  return request;
}

TestWebSocket TestBrowser::websocket(std::string_view path, const TestWebSocketOptions& options) {
  return TestWebSocket(request(Method::get, path), options);
}

}  // namespace volt::http
