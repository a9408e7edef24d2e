// SPDX-License-Identifier: MIT

// TestRequest: a request of a TestClient. Created by TestClient::get() and the like, filled in, and sent; a value that
// can be sent several times.
//
// Threads: the test's thread. Lifetime: the request and its responses must not outlive the TestClient.
// Errors: std::invalid_argument for a field that cannot be sent; TestFailure if the server misbehaves. Use
// TestClient::raw() to send invalid requests.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/message/method.h"
#include "http/message/version.h"
#include "http/testing/response.h"
#include "http/testing/stream.h"

namespace volt::http {

namespace testing {
class Call;
class Harness;
struct WireRequest;
}  // namespace testing

// A response that has not been received completely.
class PendingResponse {
 public:
  explicit PendingResponse(std::unique_ptr<testing::Call> call) noexcept;
  PendingResponse(PendingResponse&&) noexcept;
  PendingResponse& operator=(PendingResponse&&) noexcept;
  ~PendingResponse();  // disconnects the client if wait() has not been called

  // Waits until all tasks of the server wait. Returns whether the response is complete.
  [[nodiscard]] bool done();
  // Blocks until the response is complete and returns it. May be called once.
  [[nodiscard]] TestResponse wait();

 private:
  std::unique_ptr<testing::Call> call_;
};

// A part of a form with files (RFC 7578): a file if it has a file name, otherwise a text field.
struct TestPart {
  std::string_view name;
  std::string_view content;
  std::optional<std::string_view> file_name = std::nullopt;
  std::string_view content_type = {};  // empty: none is sent
};

class TestRequest {
 public:
  TestRequest(testing::Harness& harness, Method method, std::string_view path);

  // Adds a field. Host replaces the default one.
  TestRequest& header(std::string_view name, std::string_view value);
  TestRequest& bearer(std::string_view token);
  TestRequest& cookie(std::string_view name, std::string_view value);
  // Adds a query parameter. Name and value are percent-encoded.
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
  // Sends a form with files: client.post("/upload").multipart({{"note", "new"}, {"file", "text", "a.txt"}}).send()
  TestRequest& multipart(std::initializer_list<TestPart> parts);
  // Sends the body in these chunks.
  TestRequest& chunked(std::vector<std::string> pieces, std::string_view content_type = "application/octet-stream");
  // Adds a trailer field after a chunked body.
  TestRequest& trailer(std::string_view name, std::string_view value);

  // Sends `Expect: 100-continue`, and the body only after the server's 100 Continue.
  TestRequest& expect_continue();
  TestRequest& version_1_0();
  // Asks the server to close the connection after the response.
  TestRequest& close();

  // Sends the request and waits for the complete response.
  TestResponse send() const;
  // Sends the request, and returns when all tasks of the server wait.
  [[nodiscard]] PendingResponse start() const;
  // Sends the request and waits for the response's head.
  [[nodiscard]] TestStream open() const;
  // Sends the request and returns the call, for upgrades to another protocol.
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
  std::string body_;  // as it is sent, chunks included
  std::string trailer_lines_;
  bool has_body_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
};

}  // namespace volt::http
