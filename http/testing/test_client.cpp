#include "http/testing/test_client.h"

#include "http/testing/internal/call.h"

namespace volt::http {

TestClient::TestClient(App app, const TestClientOptions& options)
    : harness_(std::make_unique<testing::Harness>(std::move(app), options)), clock_(harness_->runtime()) {}

TestWebSocket TestClient::websocket(std::string_view path, const TestWebSocketOptions& options) {
  return TestWebSocket(request(Method::get, path), options);
}

void TestClient::start_drain() {
  clock_.settle();  // a WebSocket task that does not wait yet would notice the drain only as the clock advances
  server().start_drain();
  clock_.settle();
}

}  // namespace volt::http
