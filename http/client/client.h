// HttpClient: asks HTTP/1.1 servers, with connections that are kept for the next request.
//
//   HttpClient client({.tls = tls::client_transport()});
//   ClientRequest request(Method::get, "https://example.org/items?limit=20");
//   Result<ClientResponse> response = co_await client.send(std::move(request));     // its head
//   const Result<std::string> body = co_await response->text();                     // or next(), piece by piece
//
// Threads: any number of tasks may use one client at once; a request and a response belong to one task at a time.
// Lifetime: a response may outlive its client; neither outlives the Runtime, whose destructor waits for connections: a
// client that is used beside volt::run belongs to the App, in its state or what its handlers have captured, not to
// main(). Whoever drops a response before its end closes its connection. Cancellation: closes it too.
// Memory: per response some 20 KiB, whatever the body's size. Backpressure: a body is received as next() asks for it,
// and a streamed one is asked for its next piece when the last has been sent.
// Errors: of TcpStream::connect() and its transfers, timed_out, the transport's, and ClientError.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/client/client_error.h"
#include "http/message/headers.h"
#include "http/message/method.h"
#include "http/message/status.h"
#include "http/transport/client_transport.h"
#include "runtime/address.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http {

class ClientStream;

namespace client {
class Exchange;
class Pool;
struct Redirect;
struct Uri;
}  // namespace client

struct ClientOptions {
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(10);   // name, connection and TLS
  std::chrono::nanoseconds response_timeout = std::chrono::seconds(30);  // the request is sent until its answer's head
  std::chrono::nanoseconds transfer_timeout = std::chrono::seconds(30);  // each wait for more of a body, or for room
  std::chrono::nanoseconds whole_timeout = std::chrono::nanoseconds::max();  // from send() to the body's last byte
  std::size_t idle_per_origin_max = 16;  // connections kept for the next request; beyond it they are closed
  std::size_t idle_max = 256;
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(30);  // kept so long; closed when the pool is next used
  std::size_t head_bytes_max = 64 * 1024;
  std::uint64_t body_bytes_max = std::uint64_t{1} << 30;  // of an answer
  std::uint32_t redirects_max = 0;                        // followed; the answer behind the last is given as it is
  std::shared_ptr<ClientTransportSource> tls = {};        // for https
};

// A request's body that is produced while it is sent.
class ClientBody {
 public:
  ClientBody() = default;
  ClientBody(const ClientBody&) = delete;
  ClientBody& operator=(const ClientBody&) = delete;
  virtual ~ClientBody() = default;

  // The next piece, empty at the end; valid until the next call. What it throws ends the request, and is rethrown.
  // Where an answer begins before the body has ended, a call may be cancelled and made again: what was cancelled has
  // taken nothing.
  [[nodiscard]] virtual Task<std::optional<std::string_view>> next() = 0;
  // How many bytes there are, if that is known: then the request has a Content-Length, and it must keep its word.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept { return std::nullopt; }
  // At the end, of a body of unknown size: the fields behind it.
  [[nodiscard]] virtual FieldList trailers() const { return {}; }
};

class ClientRequest {
 public:
  ClientRequest(Method method, std::string uri) : method_(method), uri_(std::move(uri)) {}

  // Sets a field, or adds one beside those of its name. Throws std::invalid_argument for a bad name or value, and for
  // the fields that say where the message ends and the connection's fate, which the client writes.
  // Host is taken from the URI, unless it is set here.
  ClientRequest& header(std::string_view name, std::string_view value) &;
  ClientRequest& add_header(std::string_view name, std::string_view value) &;
  ClientRequest& remove_header(std::string_view name) &;
  // What a proxy may pass on of the fields it was given (RFC 9110 section 7.6.1): not those of the connection, those
  // that Connection names, or Host.
  ClientRequest& forward(const Fields& fields) &;
  ClientRequest& body(std::string body, std::string_view content_type) &;
  ClientRequest& body(std::unique_ptr<ClientBody> body) &;  // without a Content-Type
  // Asks to go on with that protocol (RFC 9110 section 7.8): then the answer may be 101, and have a stream. Throws
  // std::invalid_argument for what is no token.
  ClientRequest& upgrade(std::string_view protocol) &;
  // Connects there, whatever the URI says: a unix socket, say.
  ClientRequest& via(const Address& address) &;

 private:
  friend class HttpClient;
  friend class client::Exchange;

  Method method_;
  std::string uri_;
  FieldList fields_;
  std::string body_;
  std::unique_ptr<ClientBody> stream_;
  std::string upgrade_;  // empty: no
  std::optional<Address> via_;
};

// An answer: its head, and its body as it comes.
class ClientResponse {
 public:
  explicit ClientResponse(std::unique_ptr<client::Exchange> exchange) noexcept;
  ClientResponse(ClientResponse&& other) noexcept;
  ClientResponse& operator=(ClientResponse&& other) noexcept;
  ~ClientResponse();

  [[nodiscard]] Status status() const noexcept;
  // Valid as long as the response, wherever that moves.
  [[nodiscard]] Fields headers() const noexcept;
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept {
    return headers().find(name);
  }

  // The body's next piece, none at its end: then the connection goes back to be used again. Valid until the next call.
  [[nodiscard]] Task<Result<std::optional<std::string_view>>> next();
  // The same of what has been received already. Errors: also operation_would_block, where next() would wait: whoever
  // gathers what he passes on sends it now.
  [[nodiscard]] Result<std::optional<std::string_view>> try_next();
  // All that is still to come. Errors: also too_large, if that is more than so many bytes.
  [[nodiscard]] Task<Result<std::string>> text(std::size_t bytes_max = 16 * 1024 * 1024);
  // Once at the end: the fields behind a chunked body. Valid as long as the response.
  [[nodiscard]] Fields trailers() const noexcept;
  // Of a 101: the connection, to go on with what was asked for. Once; null of every other answer.
  [[nodiscard]] std::unique_ptr<ClientStream> take_stream();

 private:
  std::unique_ptr<client::Exchange> exchange_;
};

class HttpClient {
 public:
  explicit HttpClient(ClientOptions options = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends it, and gives the answer's head. That may come before a streamed body has ended: if it is an error or a
  // redirect the rest stays unsent, else it is sent while the answer is read. Interim answers (1xx) are passed over. A request that can be repeated (RFC
  // 9110 section 9.2.2, and no streamed body) is sent once more if a kept connection turns out to have ended; no other
  // is ever sent twice. A redirect keeps the method but for 303, and for POST after 301 and 302 (RFC 9110 section
  // 15.4); to another origin it carries no Authorization and no Cookie.
  [[nodiscard]] Task<Result<ClientResponse>> send(ClientRequest request);

  // Connections that wait for their next request.
  [[nodiscard]] std::size_t idle_connections() const;

 private:
  [[nodiscard]] Task<Result<std::unique_ptr<client::Exchange>>> round_trip(ClientRequest& request,
                                                                           const client::Uri& uri,
                                                                           std::chrono::nanoseconds ends_at);
  static void follow(ClientRequest& request, client::Uri& uri, const client::Redirect& redirect);

  const std::shared_ptr<const ClientOptions> options_;
  const std::shared_ptr<client::Pool> pool_;
};

}  // namespace volt::http
