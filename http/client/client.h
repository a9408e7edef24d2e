// SPDX-License-Identifier: MIT

// HttpClient: sends requests to HTTP/1.1 servers and keeps connections for later requests.
//
//   HttpClient client({.tls = tls::client_transport()});
//   ClientRequest request(Method::get, "https://example.org/items?limit=20");
//   Result<ClientResponse> response = co_await client.send(std::move(request));     // the response's head
//   const Result<std::string> body = co_await response->text();                     // or next(), piece by piece
//
// Threads: any number of tasks may use one client at once. A request and a response belong to one task at a time.
// Lifetime: a response may outlive its client. Both may outlive the Runtime; the client can then be used with another
// one. Must not be used by two Runtimes at a time: a connection that one of them has kept would be used by the other,
// which ends the process. Destroying a response before its end closes its connection.
// Cancellation: cancelling a call closes the request's connection.
// Memory: about 20 KiB per response, whatever the body's size.
// Backpressure: a response body is received only as fast as next() is called. The next piece of a streamed request body
// is requested after the piece before it has been sent.
// Traces: in a task with a current span (tracing/span.h), a request gets the fields traceparent and tracestate of the
// trace, in place of its own, and if the trace is sampled, a span of its own until the response's head.
// Errors: those of TcpStream::connect() and of transfers, timed_out, those of the transport, and ClientError.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/client/circuit_breaker.h"
#include "http/client/client_error.h"
#include "http/client/concurrency.h"
#include "http/client/hedge.h"
#include "http/client/retry.h"
#include "http/message/headers.h"
#include "http/message/method.h"
#include "http/message/status.h"
#include "runtime/address.h"
#include "runtime/deadline.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt {
class MetricSink;
}

namespace volt::http {

class ClientConnector;
class ClientStream;
class ClientTransportSource;

namespace client {
class Authorities;
class Call;
class Exchange;
class Pool;
struct Redirect;
struct Uri;
}  // namespace client

struct ClientOptions {
  // Maximum time for name lookup, connection and TLS handshake together.
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(10);
  // Maximum time from the end of the request to the end of the response's head.
  std::chrono::nanoseconds response_timeout = std::chrono::seconds(30);
  // Maximum time of each wait to read or to write body bytes.
  std::chrono::nanoseconds transfer_timeout = std::chrono::seconds(30);
  // Maximum time from send() to the last byte of the response's body.
  std::chrono::nanoseconds whole_timeout = std::chrono::nanoseconds::max();
  std::size_t idle_per_origin_max = 16;  // idle connections kept per origin; more are closed
  std::size_t idle_max = 256;            // idle connections kept in all; more are closed
  // Connections that have been idle for longer are closed when the pool is used the next time.
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(30);
  std::size_t head_bytes_max = 64 * 1024;                 // of a response's head; ClientError::too_large beyond it
  std::uint64_t body_bytes_max = std::uint64_t{1} << 30;  // of a response's body; ClientError::too_large beyond it
  std::uint32_t redirects_max = 0;  // redirects to follow; the response after the last one is returned unchanged
  std::shared_ptr<ClientTransportSource> tls = {};  // for https; null: https fails with ClientError::no_tls
  std::string name = "default";                     // label `client` of the client's metrics
  RetryOptions retry = {};                          // off by default
  HedgeOptions hedge = {};                          // off by default
  CircuitBreakerOptions circuit_breaker = {};       // off by default
  ClientConcurrencyOptions concurrency = {};        // no limit by default
  // Field that tells the server the remaining time of a request with a deadline or a whole_timeout, in milliseconds,
  // such as Envoy's x-envoy-expected-rq-timeout-ms (http/middleware/deadline.h reads it). Empty: none is sent.
  std::string deadline_field = {};
  // Opens the connections in place of TCP and TLS, for tests (http/client/connector.h); null: TCP and TLS.
  std::shared_ptr<ClientConnector> connector = {};
};

// A request body that is produced while it is sent.
class ClientBody {
 public:
  ClientBody() = default;
  ClientBody(const ClientBody&) = delete;
  ClientBody& operator=(const ClientBody&) = delete;
  virtual ~ClientBody() = default;

  // Returns the next piece, or none at the end. The piece is valid until the next call. An exception ends the request
  // and is rethrown to the caller of HttpClient. If a response begins before the body has ended, next() may be
  // cancelled and called again later, so a cancelled call must not lose data.
  [[nodiscard]] virtual Task<std::optional<std::string_view>> next() = 0;
  // Returns the size in bytes, if it is known: the request then has a Content-Length, and the body must have that size.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept { return std::nullopt; }
  // Returns the trailer fields; called at the end of a body of unknown size.
  [[nodiscard]] virtual FieldList trailers() const { return {}; }
};

class ClientRequest {
 public:
  ClientRequest(Method method, std::string uri) : method_(method), uri_(std::move(uri)) {}

  // header() sets a field; add_header() adds another field of that name. Both throw std::invalid_argument for
  // a bad name or value, and for the fields that the client writes itself: message framing and connection control.
  // Host is taken from the URI unless it is set here.
  ClientRequest& header(std::string_view name, std::string_view value) &;
  ClientRequest& add_header(std::string_view name, std::string_view value) &;
  ClientRequest& remove_header(std::string_view name) &;
  // Adds the fields that a proxy may forward (RFC 9110 section 7.6.1): all but the connection's own fields, the fields
  // that Connection names, Host, and fields whose name contains '_'. CGI, WSGI and PHP programs cannot distinguish '_'
  // from '-', so X_Forwarded_For would forge an X-Forwarded-For that the proxy removes; add_header() can still add it.
  ClientRequest& forward(const Fields& fields) &;
  ClientRequest& body(std::string body, std::string_view content_type) &;
  ClientRequest& body(std::unique_ptr<ClientBody> body) &;  // without a Content-Type
  // Requests an upgrade to `protocol` (RFC 9110 section 7.8): the response may then be 101 and have a stream. Throws
  // std::invalid_argument if `protocol` is not a token.
  ClientRequest& upgrade(std::string_view protocol) &;
  // Sets a function that is called with each interim response (1xx) other than 101, before send() returns; at most 16
  // times for each attempt to send the request. The fields are valid during the call.
  ClientRequest& on_interim(std::function<void(Status, const Fields&)> function) &;
  // States that the server handles a repeated request as one, whatever its method, for example because of an
  // Idempotency-Key field: it may be sent again as one with an idempotent method may.
  ClientRequest& idempotent() &;
  // Sends a second copy of the request if there is no response after `delay`, in place of ClientOptions::hedge
  // (http/client/hedge.h); nanoseconds::max(): sends none. With another delay, send() throws std::invalid_argument if
  // the request must not be sent twice: it must be idempotent, without a streamed body, upgrade() and on_interim().
  // Throws std::invalid_argument if `delay` is negative.
  ClientRequest& hedge_after(std::chrono::nanoseconds delay) &;
  // Bounds the request, with its retries and its response's body, by `deadline`, if whole_timeout does not end earlier.
  // After that, it ends with timed_out; one whose deadline has passed already is not sent.
  ClientRequest& deadline(Deadline deadline) &;
  // Connects to `address` instead of the URI's host and port, for example to a unix socket.
  ClientRequest& via(const Address& address) &;

 private:
  friend class HttpClient;
  friend class client::Call;
  friend class client::Exchange;

  Method method_;
  std::string uri_;
  FieldList fields_;
  std::string body_;
  std::unique_ptr<ClientBody> stream_;
  std::function<void(Status, const Fields&)> on_interim_;
  std::string upgrade_;  // the protocol to upgrade to; empty: none
  std::optional<Address> via_;
  std::optional<Deadline> deadline_;
  std::optional<std::chrono::nanoseconds> hedge_after_;
  bool idempotent_ = false;
};

// A response: its head, and its body while it is received.
class ClientResponse {
 public:
  explicit ClientResponse(std::unique_ptr<client::Exchange> exchange) noexcept;
  ClientResponse(ClientResponse&& other) noexcept;
  ClientResponse& operator=(ClientResponse&& other) noexcept;
  ~ClientResponse();

  [[nodiscard]] Status status() const noexcept;
  // Valid as long as the response; moving the response keeps it valid.
  [[nodiscard]] Fields headers() const noexcept;
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept {
    return headers().find(name);
  }

  // Returns the next piece of the body, or none at its end. The piece is valid until the next call. At the end the
  // connection returns to the pool.
  [[nodiscard]] Task<Result<std::optional<std::string_view>>> next();
  // Returns the next piece of the body if it has been received already. Errors: those of next(), and
  // operation_would_block if next() would wait. A relay can flush its output before it waits.
  [[nodiscard]] Result<std::optional<std::string_view>> try_next();
  // Returns the rest of the body. Errors: those of next(), and too_large for more than `bytes_max` bytes.
  [[nodiscard]] Task<Result<std::string>> text(std::size_t bytes_max = 16 * 1024 * 1024);
  // Returns the trailer fields of a chunked body, once next() has reached its end. Valid as long as the response.
  [[nodiscard]] Fields trailers() const noexcept;
  // Returns the upgraded connection after a 101, once; null for any other response.
  [[nodiscard]] std::unique_ptr<ClientStream> take_stream();

 private:
  std::unique_ptr<client::Exchange> exchange_;
};

class HttpClient {
 public:
  // Throws std::invalid_argument if an option is out of its range.
  explicit HttpClient(ClientOptions options = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends the request and returns the response's head. The head may arrive before a streamed request body has ended. If
  // the response is an error or a redirect, the rest of the body is not sent; otherwise it is sent while the response
  // is read. Interim responses (1xx) are skipped, unless on_interim() is set. A request is sent once more if the server
  // has closed the pooled connection, the method is idempotent (RFC 9110 section 9.2.2) and the body is not streamed.
  // No other request is sent twice, unless ClientOptions::retry or ClientOptions::hedge allows it. A redirect keeps the
  // method, except for 303, and for POST after 301 and 302 (RFC 9110 section 15.4). A redirect to another origin
  // carries neither Authorization nor Cookie. Throws std::invalid_argument if hedge_after() is set on a request that
  // must not be sent twice.
  [[nodiscard]] Task<Result<ClientResponse>> send(ClientRequest request);

  // Returns the circuit of the server to which requests for `uri`, and to `via` if they have that, are sent. Call in a
  // task. Throws std::invalid_argument if `uri` is invalid.
  [[nodiscard]] Circuit circuit(std::string_view uri, const std::optional<Address>& via = std::nullopt) const;

  // Returns the number of idle connections in the pool.
  [[nodiscard]] std::size_t idle_connections() const;

  // Reports the volt_http_client_.. metrics (runtime/metric_sink.h). Any thread. Clients that the app owns as state,
  // also in a std::shared_ptr, report by themselves; for others: `app.metrics().add(client)`.
  void report_metrics(MetricSink& sink) const;

 private:
  static void follow(ClientRequest& request, client::Uri& uri, const client::Redirect& redirect);

  const std::shared_ptr<const ClientOptions> options_;
  const std::shared_ptr<client::Pool> pool_;
  const std::unique_ptr<client::Authorities> authorities_;
};

}  // namespace volt::http
