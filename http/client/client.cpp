// SPDX-License-Identifier: MIT

#include "http/client/client.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/client/client_stream.h"
#include "http/client/internal/authorities.h"
#include "http/client/internal/call.h"
#include "http/client/internal/exchange.h"
#include "http/client/internal/pool.h"
#include "http/client/internal/redirect.h"
#include "http/client/internal/request_span.h"
#include "http/client/internal/statistics.h"
#include "http/client/internal/uri.h"
#include "http/message/ascii.h"
#include "runtime/per_worker.h"

namespace volt::http {
namespace client {
namespace {

ClientOptions checked(ClientOptions options) {
  if (!options.deadline_field.empty() && !message::is_token(options.deadline_field)) {
    throw std::invalid_argument("ClientOptions::deadline_field is not a token: " + options.deadline_field);
  }
  return options;
}

}  // namespace
}  // namespace client

HttpClient::HttpClient(ClientOptions options)
    : options_(std::make_shared<const ClientOptions>(client::checked(std::move(options)))),
      pool_(std::make_shared<client::Pool>(*options_)),
      authorities_(std::make_unique<client::Authorities>(*options_)) {}
HttpClient::~HttpClient() = default;

std::size_t HttpClient::idle_connections() const { return pool_->size(); }

void HttpClient::report_metrics(MetricSink& sink) const {
  pool_->statistics()->report(sink, pool_->size(), *authorities_);
}

Circuit HttpClient::circuit(std::string_view uri, const std::optional<Address>& via) const {
  const std::optional<client::Uri> parsed = client::parse_uri(uri);
  if (!parsed) throw std::invalid_argument(make_error_code(ClientError::bad_uri).message());
  Circuit circuit{.authority = parsed->authority};
  if (const auto authority = authorities_->find(client::origin_of(*parsed, via))) {
    circuit.state = authority->circuit.state();
    circuit.open_for = authority->circuit.open_for(coarse_now());
  }
  return circuit;
}

Task<Result<ClientResponse>> HttpClient::send(ClientRequest request) {
  std::optional<client::Uri> uri = client::parse_uri(request.uri_);
  if (!uri || request.method_ == Method::connect) co_return std::unexpected(make_error_code(ClientError::bad_uri));
  constexpr auto kNever = std::chrono::nanoseconds::max();
  if (request.hedge_after_.value_or(kNever) != kNever && !client::Call::may_be_sent_twice(request)) {
    throw std::invalid_argument(
        "hedge_after() needs a request that may be sent twice: with an idempotent method or idempotent(), and without "
        "a streamed body, upgrade() and on_interim()");
  }
  const std::chrono::nanoseconds whole = options_->whole_timeout;
  std::chrono::nanoseconds ends_at = whole == kNever ? kNever : coarse_now() + whole;
  if (request.deadline_) ends_at = std::min(ends_at, std::chrono::nanoseconds(request.deadline_->at_ns()));
  for (std::uint32_t redirects = 0;; ++redirects) {
    const bool streams = request.stream_ != nullptr;
    pool_->statistics()->requests.fetch_add(1, base::relaxed);  // relaxed: a report
    client::RequestSpan span(request.method_, *uri);
    client::add_trace_context(request.fields_);
    client::Call call(options_, pool_, *authorities_, request, *uri, ends_at);
    client::Outcome outcome = co_await call.run();
    if (!outcome) {
      pool_->statistics()->count_failure(outcome.error().reason);
      span.set_failure(outcome.error().error);
      co_return std::unexpected(outcome.error().error);
    }
    ClientResponse response(std::move(*outcome));
    span.set_response(response.status());
    if (redirects == options_->redirects_max) co_return std::move(response);
    const auto next = client::redirect_of(response, request.method_, *uri, streams);
    if (!next) co_return std::move(response);
    // Reads the rest of the body, so that the connection can be reused.
    [[maybe_unused]] const Result<std::string> dropped = co_await response.text(client::kDroppedBytesMax);
    follow(request, *uri, *next);
  }
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
