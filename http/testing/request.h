// SPDX-License-Identifier: MIT

// TestRequest: a request of a TestClient. Created by TestClient::get() and the like, filled in, and sent; a value that
// can be sent several times.
//
// Threads: the test's thread. Lifetime: the request and its responses must not outlive the TestClient.
// Errors: std::invalid_argument for a field that cannot be sent, and for body() together with part(); TestFailure if
// the server misbehaves. Use TestClient::raw() to send invalid requests.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/message/method.h"
#include "http/message/version.h"
#include "http/testing/cookies.h"
#include "http/testing/response.h"
#include "http/testing/stream.h"

namespace volt::http {

namespace testing {
class Call;
class Harness;
struct Part;
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

class TestRequest {
 public:
  // Sends and stores the cookies of `cookies`; null: none.
  TestRequest(testing::Harness& harness, Method method, std::string_view path,
              std::shared_ptr<TestCookies> cookies = nullptr);
  TestRequest(const TestRequest&);
  TestRequest(TestRequest&&) noexcept;
  TestRequest& operator=(const TestRequest&);
  TestRequest& operator=(TestRequest&&) noexcept;
  ~TestRequest();

  // Adds a field. Host replaces the default one.
  TestRequest& header(std::string_view name, std::string_view value);
  TestRequest& bearer(std::string_view token);
  // Adds a cookie. Replaces the one with this name among those that the client keeps, for this request.
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
  // Adds a field, or a file, to a body of multipart/form-data (RFC 7578). The parts are sent in the order of the calls.
  //
  //   client.post("/photos").part("title", "Lake").file("photo", "lake.png", png, "image/png").send();
  TestRequest& part(std::string_view name, std::string_view value);
  TestRequest& file(std::string_view name, std::string_view filename, std::string content,
                    std::string_view content_type = "application/octet-stream");
  // Sends the body in these chunks.
  TestRequest& chunked(std::vector<std::string> pieces, std::string_view content_type = "application/octet-stream");
  // Adds a trailer field after a chunked body.
  TestRequest& trailer(std::string_view name, std::string_view value);

  // Sends what browsers send with a request that a page of the app starts, which csrf() accepts: `Sec-Fetch-Site:
  // same-origin` and, unless the method is GET or HEAD, the app's own Origin. Its scheme is that of X-Forwarded-Proto.
  TestRequest& same_origin();
  // Sends what browsers send with a request that a page of another site starts, which csrf() refuses.
  TestRequest& cross_site();
  // Sends the CSRF token that a form of `page` has in a hidden field, as browsers without Sec-Fetch-Site must. Throws
  // TestFailure if no form has such a field. `field` and `header` are those of CsrfOptions.
  TestRequest& csrf_token(const TestResponse& page, std::string_view field = "csrf_token",
                          std::string_view header = "X-Csrf-Token");

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
  enum class Site : std::uint8_t { unknown, same_origin, cross_site };

  std::string_view field(std::string_view name, std::string_view otherwise) const noexcept {
    return find_field(fields_, name).value_or(otherwise);
  }
  std::string head(std::size_t body_bytes, std::string_view boundary) const;
  void append_site(std::string& head) const;
  std::string cookie_line() const;
  testing::CookieTarget cookie_target() const;
  void add_part(testing::Part part);
  bool has(std::string_view name) const noexcept { return find_field(fields_, name).has_value(); }

  testing::Harness* harness_;
  Method method_;
  Version version_ = Version::http_1_1;
  std::string target_;
  std::vector<TestField> fields_;
  std::string cookies_;
  std::string body_;  // as it is sent, chunks included
  std::string trailer_lines_;
  std::vector<testing::Part> parts_;  // of a multipart body; empty: none
  std::shared_ptr<TestCookies> jar_;  // null: the client keeps no cookies
  Site site_ = Site::unknown;
  bool has_body_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
};

}  // namespace volt::http
