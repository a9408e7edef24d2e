// SPDX-License-Identifier: MIT

#include "http/testing/test_client.h"

#include <chrono>
#include <optional>
#include <stdexcept>

#include "http/message/ascii.h"
#include "http/testing/internal/call.h"
#include "http/testing/internal/harness.h"
#include "runtime/wall_clock.h"

namespace volt::http {
namespace {

Task<std::chrono::sys_seconds> read_wall_clock() { co_return wall_second(); }

Task<> set_wall_clock_to(std::chrono::sys_seconds time) {
  set_wall_clock(time);
  co_return;
}

// Reads `YYYY-MM-DDThh:mm:ssZ` (RFC 3339) as a Date field with the same numbers.
std::optional<std::chrono::sys_seconds> parse_utc(std::string_view text) noexcept {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != kForm.size()) return std::nullopt;
  const auto number = [text](std::size_t at, std::size_t digits) {
    int value = 0;
    for (const char c : text.substr(at, digits)) value = value * 10 + (c - '0');
    return value;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] == 'd' ? !message::is_digit(text[i]) : text[i] != kForm[i]) return std::nullopt;
  }
  using namespace std::chrono;
  const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2))));
  const hours hour(number(11, 2));
  const minutes minute(number(14, 2));
  const seconds second(number(17, 2));
  if (!date.ok() || hour >= 24h || minute >= 60min || second >= 60s) return std::nullopt;
  return sys_days(date) + hour + minute + second;
}

}  // namespace

void TestClock::set(std::chrono::sys_seconds time) { runtime_.block_on(&set_wall_clock_to, time); }

void TestClock::set(std::string_view time) {
  const auto parsed = parse_utc(time);
  if (!parsed) {
    throw std::invalid_argument("TestClock::set: not a time like 2026-01-01T00:00:00Z: " + std::string(time));
  }
  set(*parsed);
}

std::chrono::sys_seconds TestClock::now() { return runtime_.block_on(read_wall_clock); }

TestClient::TestClient(App app, const TestClientOptions& options)
    : harness_(std::make_unique<testing::Harness>(std::move(app), options)), clock_(harness_->runtime()) {}
TestClient::TestClient(TestClient&&) noexcept = default;
TestClient::~TestClient() = default;

TestWebSocket TestClient::websocket(std::string_view path, const TestWebSocketOptions& options) {
  return TestWebSocket(request(Method::get, path), options);
}

TestRequest TestClient::request(Method method, std::string_view path) {
  return TestRequest(*harness_, method, path, harness_->cookies);
}

void TestClient::keep_cookies() {
  if (!harness_->cookies) harness_->cookies = std::make_shared<TestCookies>();
}

TestCookies& TestClient::cookies() {
  if (!harness_->cookies) throw std::logic_error("call keep_cookies() before the requests whose cookies to keep");
  return *harness_->cookies;
}

std::string TestClient::log() { return harness_->log(); }

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
