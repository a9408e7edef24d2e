// SPDX-License-Identifier: MIT

#include "http/client/client.h"

#include <algorithm>
#include <utility>

#include "http/client/client_stream.h"
#include "http/client/internal/connection.h"
#include "http/client/internal/exchange.h"
#include "http/client/internal/pool.h"
#include "http/client/internal/redirect.h"
#include "http/client/internal/request_span.h"
#include "http/client/internal/statistics.h"
#include "http/client/internal/uri.h"
#include "runtime/concurrent.h"
#include "runtime/per_worker.h"
#include "runtime/tcp.h"

namespace volt::http {
namespace client {
namespace {

using OwnedConnection = std::unique_ptr<Connection>;
using OwnedExchange = std::unique_ptr<Exchange>;

// Returns the key of the connection pool. Two requests with equal keys can use one connection: they have the same
// server, and the same address if ClientRequest sets one.
std::string origin_of(const Uri& uri, const std::optional<Address>& via) {
  std::string origin = (uri.secure ? "https " : "http ") + uri.host + " " + std::to_string(uri.port);
  if (via) origin += " " + via->to_string();
  return origin;
}

Task<Result<OwnedConnection>> open_connection(const ClientOptions& options, const Uri& uri,
                                              const std::optional<Address>& via,
                                              std::shared_ptr<Statistics> statistics) {
  // Not in the operand of co_await: g++ 14 would evaluate *via in any case (docs/compilers.md).
  Task<Result<TcpStream>> connecting = via ? TcpStream::connect(*via) : TcpStream::connect(uri.host, uri.port);
  Result<TcpStream> socket = co_await std::move(connecting);
  if (!socket) co_return std::unexpected(socket.error());
  ClientTransportSource* const transports = uri.secure ? options.tls.get() : nullptr;
  auto connection = std::make_unique<Connection>(origin_of(uri, via), std::move(*socket), transports, uri.host,
                                                 std::move(statistics));
  const Result<void> opened = co_await connection->open();
  if (!opened) co_return std::unexpected(opened.error());
  co_return std::move(connection);
}

Task<Result<OwnedConnection>> connect(const ClientOptions& options, const Uri& uri, const std::optional<Address>& via,
                                      std::chrono::nanoseconds limit, std::shared_ptr<Statistics> statistics) {
  if (uri.secure && !options.tls) co_return std::unexpected(make_error_code(ClientError::no_tls));
  const Counted connecting(statistics->connecting);
  const auto began = std::chrono::steady_clock::now();
  Result<Result<OwnedConnection>> connection =
      co_await within(limit, [&] { return open_connection(options, uri, via, statistics); });
  if (!connection) co_return std::unexpected(connection.error());
  if (*connection) statistics->connect_times.record(std::chrono::steady_clock::now() - began);
  co_return std::move(*connection);
}

// Returns whether the method is idempotent (RFC 9110 section 9.2.2).
bool idempotent(Method method) noexcept {
  switch (method) {
    case Method::get:
    case Method::head:
    case Method::put:
    case Method::del:
    case Method::options:
    case Method::trace:
      return true;
    default:  // an unknown method is not repeated
      return false;
  }
}

// Counts the request as failed and returns its error.
std::unexpected<std::error_code> failed(Statistics& statistics, const std::error_code& error) {
  statistics.count_failure(error == std::errc::timed_out ? FailureReason::timeout : FailureReason::response);
  return std::unexpected(error);
}

bool ended_by_peer(const std::error_code& error) noexcept {
  return error == ClientError::truncated || error == std::errc::connection_reset || error == std::errc::broken_pipe;
}

}  // namespace
}  // namespace client

HttpClient::HttpClient(ClientOptions options)
    : options_(std::make_shared<const ClientOptions>(std::move(options))),
      pool_(std::make_shared<client::Pool>(*options_)) {}
HttpClient::~HttpClient() = default;

std::size_t HttpClient::idle_connections() const { return pool_->size(); }

void HttpClient::report_metrics(MetricSink& sink) const { pool_->statistics()->report(sink, pool_->size()); }

Task<Result<ClientResponse>> HttpClient::send(ClientRequest request) {
  std::optional<client::Uri> uri = client::parse_uri(request.uri_);
  if (!uri || request.method_ == Method::connect) co_return std::unexpected(make_error_code(ClientError::bad_uri));
  constexpr auto kNever = std::chrono::nanoseconds::max();
  const std::chrono::nanoseconds whole = options_->whole_timeout;
  const std::chrono::nanoseconds ends_at = whole == kNever ? kNever : coarse_now() + whole;
  for (std::uint32_t redirects = 0;; ++redirects) {
    const bool streams = request.stream_ != nullptr;
    pool_->statistics()->requests.fetch_add(1, base::relaxed);  // relaxed: a report
    client::RequestSpan span(request.method_, *uri);
    client::add_trace_context(request.fields_);
    Result<client::OwnedExchange> exchange = co_await round_trip(request, *uri, ends_at);
    if (!exchange) {
      span.set_failure(exchange.error());
      co_return std::unexpected(exchange.error());
    }
    ClientResponse response(std::move(*exchange));
    span.set_response(response.status());
    if (redirects == options_->redirects_max) co_return std::move(response);
    const auto next = client::redirect_of(response, request.method_, *uri, streams);
    if (!next) co_return std::move(response);
    // Reads the rest of the body, so that the connection can be reused.
    [[maybe_unused]] const Result<std::string> dropped = co_await response.text(client::kDroppedBytesMax);
    follow(request, *uri, *next);
  }
}

Task<Result<std::unique_ptr<client::Exchange>>> HttpClient::round_trip(ClientRequest& request, const client::Uri& uri,
                                                                       std::chrono::nanoseconds ends_at) {
  if (auto kept = pool_->take(client::origin_of(uri, request.via_))) {
    auto exchange = std::make_unique<client::Exchange>(options_, pool_, std::move(kept), ends_at);
    const bool repeatable = client::idempotent(request.method_) && !request.stream_;
    const Result<void> asked = co_await exchange->round_trip(request, uri);
    if (asked) co_return std::move(exchange);
    const bool again = repeatable && client::ended_by_peer(asked.error()) && exchange->received_nothing();
    if (!again) co_return client::failed(*pool_->statistics(), asked.error());
  }
  const bool forever = ends_at == std::chrono::nanoseconds::max();
  const std::chrono::nanoseconds limit =
      forever ? options_->connect_timeout : std::min(options_->connect_timeout, ends_at - coarse_now());
  Result<client::OwnedConnection> connection =
      co_await client::connect(*options_, uri, request.via_, limit, pool_->statistics());
  if (!connection) {
    pool_->statistics()->count_failure(client::FailureReason::connect);
    co_return std::unexpected(connection.error());
  }
  auto exchange = std::make_unique<client::Exchange>(options_, pool_, std::move(*connection), ends_at);
  const Result<void> asked = co_await exchange->round_trip(request, uri);
  if (!asked) co_return client::failed(*pool_->statistics(), asked.error());
  co_return std::move(exchange);
}

void HttpClient::follow(ClientRequest& request, client::Uri& uri, const client::Redirect& redirect) {
  if (!redirect.uri.same_origin(uri)) {
    for (const char* secret : {"Authorization", "Cookie", "Host"}) request.fields_.remove(secret);
    request.via_.reset();
  }
  if (!redirect.keeps_body) {
    request.body_.clear();
    request.stream_.reset();
    request.fields_.remove("Content-Type");
  }
  request.method_ = redirect.method;
  uri = redirect.uri;
}

ClientResponse::ClientResponse(std::unique_ptr<client::Exchange> exchange) noexcept : exchange_(std::move(exchange)) {}
ClientResponse::ClientResponse(ClientResponse&& other) noexcept = default;
ClientResponse& ClientResponse::operator=(ClientResponse&& other) noexcept = default;
ClientResponse::~ClientResponse() = default;

Status ClientResponse::status() const noexcept { return exchange_->head().status; }
Fields ClientResponse::headers() const noexcept { return exchange_->head().fields; }
Fields ClientResponse::trailers() const noexcept { return exchange_->trailers(); }
Task<Result<std::optional<std::string_view>>> ClientResponse::next() { return exchange_->next(); }
Result<std::optional<std::string_view>> ClientResponse::try_next() { return exchange_->try_next(); }
std::unique_ptr<ClientStream> ClientResponse::take_stream() { return exchange_->take_stream(); }

Task<Result<std::string>> ClientResponse::text(std::size_t bytes_max) {
  std::string text;
  for (;;) {
    const Result<std::optional<std::string_view>> piece = co_await next();
    if (!piece) co_return std::unexpected(piece.error());
    if (!*piece) co_return std::move(text);
    if ((*piece)->size() > bytes_max - text.size()) co_return std::unexpected(make_error_code(ClientError::too_large));
    text += **piece;
  }
}

}  // namespace volt::http
