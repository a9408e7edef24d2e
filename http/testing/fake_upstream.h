// SPDX-License-Identifier: MIT

// FakeUpstream: an app in the place of the server that the app under test calls. It answers the requests of an
// HttpClient in process, without ports, in the runtime of the client, and so by the clock of the test.
//
//   http::FakeUpstream rates;
//   rates.app().get("/rates/{currency}", [] { return Rate{1.25}; });
//   http::TestClient client(make_app({.connector = rates.connector()}));  // the ClientOptions of the app's client
//   CHECK(client.get("/price?currency=EUR").send().json<Price>().total == 25);
//   CHECK(rates.requests().at(0).target == "/rates/EUR");
//
//   rates.respond(http::Status::service_unavailable, 2);                  // the next two requests
//   CHECK(client.get("/price?currency=EUR").send().status() == 503);
//
// The client connects to it whatever the host, port and scheme of the URI are (FakeRequest::host). Each request has a
// connection of its own, which ends with the response.
//
// Failures apply to the next requests, one failure to one request, in the order of the calls.
//
// Threads: app() belongs to the test's thread, before the first request. All other members may be called from any
// thread. Lifetime: the connector may outlive the fake.
// Errors: an app that is invalid fails the first request of the client with std::invalid_argument.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/connector.h"
#include "http/message/method.h"
#include "http/message/status.h"
#include "http/server/app.h"
#include "http/testing/response.h"

namespace volt::http {

namespace testing {
class FakeConnector;
class FakeScript;
}  // namespace testing

// A request that a FakeUpstream has received.
struct FakeRequest {
  Method method = Method::get;
  std::string target;  // with the query
  std::string host;    // the URI's host, and its port unless that is the scheme's
  std::vector<TestField> headers;
  std::string body;

  // Returns the value of the first field of that name (case-insensitive). Valid as long as the request.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept {
    return find_field(headers, name);
  }
};

class FakeUpstream {
 public:
  FakeUpstream();
  ~FakeUpstream();
  FakeUpstream(const FakeUpstream&) = delete;
  FakeUpstream& operator=(const FakeUpstream&) = delete;

  // The app that answers, for routes and middleware. Its jobs, background tasks and steps do not run. Throws
  // std::logic_error after the first request.
  [[nodiscard]] App& app();
  // For ClientOptions::connector.
  [[nodiscard]] std::shared_ptr<ClientConnector> connector() const;

  // The next `times` connections are refused (connection_refused).
  FakeUpstream& refuse(int times = 1);
  // The next `times` connections end before a response (connection_reset or ClientError::closed_early).
  FakeUpstream& drop(int times = 1);
  // The next `times` requests are answered with this status, and not by the app.
  FakeUpstream& respond(Status status, int times = 1);
  // The next `times` requests reach the app after this time, by the clock of the runtime.
  FakeUpstream& delay(std::chrono::nanoseconds duration, int times = 1);
  // The next `times` responses of the app end after at most `body_bytes` bytes of the body, and less than all. A
  // response that the app streams ends before its body.
  FakeUpstream& cut(std::size_t body_bytes = 0, int times = 1);

  // The requests so far, in the order in which their bodies ended. Refused and dropped ones are not among them.
  [[nodiscard]] std::vector<FakeRequest> requests() const;
  // The number of connections that clients have tried to open: one for each request, refused or not.
  [[nodiscard]] std::size_t connections() const noexcept;
  // The number of failures that have not been used. A test that ends with 0 has seen all of them.
  [[nodiscard]] std::size_t failures_left() const noexcept;

 private:
  std::shared_ptr<testing::FakeScript> script_;
  std::shared_ptr<testing::FakeConnector> connector_;
};

}  // namespace volt::http
