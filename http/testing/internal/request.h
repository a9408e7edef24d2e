// TestRequest: what a TestClient asks. Made by TestClient::get() and its like, filled in, sent; a value that can be sent
// several times.
//
// Threads: the test's. Lifetime: within the TestClient's, as what it is answered with.
// Errors: std::invalid_argument for a field that cannot be sent; TestFailure for what the server does wrong. What no
// client should send goes through TestClient::raw().
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/message/method.h"
#include "http/message/version.h"
#include "http/testing/internal/response.h"
#include "http/testing/internal/stream.h"

namespace volt::http {

namespace testing {
class Call;
class Harness;
struct WireRequest;
}  // namespace testing

// A response that is under way.
class PendingResponse {
 public:
  explicit PendingResponse(std::unique_ptr<testing::Call> call) noexcept;
  PendingResponse(PendingResponse&&) noexcept;
  PendingResponse& operator=(PendingResponse&&) noexcept;
  ~PendingResponse();  // without wait(): the client goes away

  // Whether it is here, once nothing goes on any more unless time passes.
  [[nodiscard]] bool done();
  // All of it. Once.
  [[nodiscard]] TestResponse wait();

 private:
  std::unique_ptr<testing::Call> call_;
};

class TestRequest {
 public:
  TestRequest(testing::Harness& harness, Method method, std::string_view path);

  // Adds a field; Host replaces the one that would be sent.
  TestRequest& header(std::string_view name, std::string_view value);
  TestRequest& bearer(std::string_view token);
  TestRequest& cookie(std::string_view name, std::string_view value);
  // Name and value are escaped.
  TestRequest& query(std::string_view name, std::string_view value);
  template <std::integral T>
  TestRequest& query(std::string_view name, T value) {
    return query(name, std::to_string(value));
  }

  TestRequest& body(std::string body, std::string_view content_type = "text/plain; charset=utf-8");
  template <class T>
  TestRequest& json(const T& value) {
    return body(to_json(value), "application/json");
  }
  TestRequest& form(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);
  // The body in these chunks.
  TestRequest& chunked(std::vector<std::string> pieces, std::string_view content_type = "application/octet-stream");
  // Behind a chunked body.
  TestRequest& trailer(std::string_view name, std::string_view value);

  // The body is sent when the server says that it will read it.
  TestRequest& expect_continue();
  TestRequest& version_1_0();
  // The connection is to end after the response.
  TestRequest& close();

  // Sends it and waits for all of the response.
  TestResponse send() const;
  // Sends it, and returns when nothing goes on any more unless time passes.
  [[nodiscard]] PendingResponse start() const;
  // Sends it and waits for the response's head.
  [[nodiscard]] TestStream open() const;
  // The same for what goes on with another protocol.
  std::unique_ptr<testing::Call> call() const;

 private:
  testing::WireRequest compose() const;
  std::string head() const;
  std::string cookie_line() const;
  bool has(std::string_view name) const noexcept { return find_field(fields_, name).has_value(); }

  testing::Harness* harness_;
  Method method_;
  Version version_ = Version::http_1_1;
  std::string target_;
  std::vector<TestField> fields_;
  std::string cookies_;
  std::string body_;  // as it goes on the wire
  std::string trailer_lines_;
  bool has_body_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
};

}  // namespace volt::http
