// SPDX-License-Identifier: MIT

#include "http/testing/test_client.h"

#include "http/testing/internal/call.h"
#include "http/testing/internal/harness.h"

namespace volt::http {

TestClient::TestClient(App app, const TestClientOptions& options)
    : harness_(std::make_unique<testing::Harness>(std::move(app), options)), clock_(harness_->runtime()) {}
TestClient::TestClient(TestClient&&) noexcept = default;
TestClient::~TestClient() = default;

TestWebSocket TestClient::websocket(std::string_view path, const TestWebSocketOptions& options) {
  return TestWebSocket(request(Method::get, path), options);
}

void TestClient::keep_cookies() noexcept { harness_->keep_cookies(); }

void TestClient::same_origin() noexcept { harness_->same_origin(); }

bool TestClient::drain(std::chrono::milliseconds limit) { return harness_->drain(limit); }

std::vector<std::string> TestClient::not_ready() { return harness_->not_ready(); }

Server& TestClient::server() noexcept { return harness_->server(); }

Runtime& TestClient::runtime() noexcept { return harness_->runtime(); }

void TestClient::start_drain() {
  clock_.settle();  // a WebSocket task that is not waiting yet would notice the drain only when the clock advances
  server().start_drain();
  clock_.settle();
}

}  // namespace volt::http
