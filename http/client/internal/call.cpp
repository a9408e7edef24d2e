// SPDX-License-Identifier: MIT

#include "http/client/internal/call.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "crypto/random.h"
#include "http/client/connector.h"
#include "http/client/internal/connection.h"
#include "http/client/internal/exchange.h"
#include "http/client/internal/redirect.h"
#include "http/client/internal/retry_policy.h"
#include "runtime/concurrent.h"
#include "runtime/deadline.h"
#include "runtime/logger.h"
#include "runtime/per_worker.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "runtime/wall_clock.h"

namespace volt::http::client {
namespace {

using OwnedConnection = std::unique_ptr<Connection>;

constexpr auto kNever = std::chrono::nanoseconds::max();

bool has_tls(const ClientOptions& options, const Uri& uri) noexcept { return uri.secure && !options.connector; }

Task<Result<TcpStream>> begin_to_connect(const ClientOptions& options, const Uri& uri,
                                         const std::optional<Address>& via) {
  if (options.connector) return options.connector->connect(uri.host, uri.port);
  return via ? TcpStream::connect(*via) : TcpStream::connect(uri.host, uri.port);
}

Task<Result<OwnedConnection>> open_connection(const ClientOptions& options, const Uri& uri,
                                              const std::optional<Address>& via,
                                              std::shared_ptr<Statistics> statistics) {
  // Not in the operand of co_await: g++ 14 would evaluate *via in any case (docs/compilers.md).
  Task<Result<TcpStream>> connecting = begin_to_connect(options, uri, via);
  Result<TcpStream> socket = co_await std::move(connecting);
  if (!socket) co_return std::unexpected(socket.error());
  ClientTransportSource* const transports = has_tls(options, uri) ? options.tls.get() : nullptr;
  auto connection = std::make_unique<Connection>(origin_of(uri, via), std::move(*socket), transports, uri.host,
                                                 std::move(statistics));
  const Result<void> opened = co_await connection->open();
  if (!opened) co_return std::unexpected(opened.error());
  co_return std::move(connection);
}

Task<Result<OwnedConnection>> connect(const ClientOptions& options, const Uri& uri, const std::optional<Address>& via,
                                      std::chrono::nanoseconds limit, std::shared_ptr<Statistics> statistics) {
  if (has_tls(options, uri) && !options.tls) co_return std::unexpected(make_error_code(ClientError::no_tls));
  const Counted connecting(statistics->connecting);
  const auto began = std::chrono::steady_clock::now();
  Result<Result<OwnedConnection>> connection =
      co_await within(limit, [&] { return open_connection(options, uri, via, statistics); });
  if (!connection) co_return std::unexpected(connection.error());
  if (*connection) statistics->connect_times.record(std::chrono::steady_clock::now() - began);
  co_return std::move(*connection);
}

double random_of(const RetryOptions& options) { return options.random ? options.random() : crypto::random_fraction(); }

// Skips the part of the body that came with the head. If that is the whole body, the connection can be used again.
void skip_body(Exchange& exchange) {
  for (std::size_t skipped = 0; skipped <= kDroppedBytesMax;) {
    const auto piece = exchange.try_next();
    if (!piece || !*piece) return;
    skipped += (*piece)->size();
  }
}

constexpr Logger kLog("http_client");

bool is_failure(const Outcome& outcome) noexcept { return !outcome || code((*outcome)->head().status) >= 500; }

}  // namespace

std::string origin_of(const Uri& uri, const std::optional<Address>& via) {
  std::string origin = (uri.secure ? "https " : "http ") + uri.host + " " + std::to_string(uri.port);
  if (via) origin += " " + via->to_string();
  return origin;
}

Call::Call(std::shared_ptr<const ClientOptions> options, std::shared_ptr<Pool> pool, Authorities& authorities,
           ClientRequest& request, const Uri& uri, std::chrono::nanoseconds ends_at)
    : options_(std::move(options)),
      pool_(std::move(pool)),
      statistics_(*pool_->statistics()),
      request_(request),
      uri_(uri),
      ends_at_(ends_at),
      streams_(request.stream_ != nullptr),
      idempotent_(!streams_ && (request.idempotent_ || is_idempotent(request.method_))),
      hedgeable_(may_be_sent_twice(request)),
      origin_(origin_of(uri, request.via_)),
      authority_(authorities.find(origin_, request.hedge_after_.has_value())) {}

bool Call::may_be_sent_twice(const ClientRequest& request) noexcept {
  const bool idempotent = request.idempotent_ || is_idempotent(request.method_);
  return idempotent && request.stream_ == nullptr && request.upgrade_.empty() && !request.on_interim_;
}

Task<Outcome> Call::run() {
  if (authority_) authority_->retry_budget.deposit();
  for (;;) {
    Task<Outcome> task = options_->hedge.percentile == 0 ? begin_attempt() : timed_attempt();
    Outcome outcome = co_await std::move(task);
    ++attempts_made_;
    const std::optional<std::chrono::nanoseconds> pause = pause_before_retry(outcome);
    if (!pause) co_return std::move(outcome);
    statistics_.retries.fetch_add(1, base::relaxed);  // relaxed: a report
    if (outcome) skip_body(**outcome);
    outcome = std::unexpected(CallFailure());  // returns the connection to the pool, or closes it, before the wait
    co_await sleep_for(*pause);
  }
}

// Returns the task of an attempt, with a hedge if need be.
Task<Outcome> Call::begin_attempt() {
  const std::optional<std::chrono::nanoseconds> delay = hedge_delay();
  return delay ? hedged_attempt(*delay) : attempt();
}

// Makes an attempt and keeps its time. That is the time until the head of the response that counts: the time of a first
// copy that is slower than its hedge is not known.
Task<Outcome> Call::timed_attempt() {
  const Deadline began = Deadline::after(std::chrono::nanoseconds(0));
  Task<Outcome> task = begin_attempt();
  Outcome outcome = co_await std::move(task);
  if (outcome) authority_->response_times.record(Deadline::after(std::chrono::nanoseconds(0)) - began);
  co_return std::move(outcome);
}

// Returns the time after which a second copy is sent; none if none is sent.
std::optional<std::chrono::nanoseconds> Call::hedge_delay() const {
  const HedgeOptions& hedge = options_->hedge;
  if (!hedgeable_ || request_.hedge_after_ == kNever) return std::nullopt;
  if (request_.hedge_after_) return request_.hedge_after_;
  if (!is_enabled(hedge)) return std::nullopt;
  if (hedge.percentile == 0) return hedge.delay;
  const std::optional<std::chrono::nanoseconds> usual = authority_->response_times.at(hedge.percentile);
  return usual ? std::optional(std::max(*usual, hedge.delay)) : std::nullopt;
}

// Races the two copies. A copy whose outcome does not count waits to be cancelled, so the first one to end has the
// outcome of the attempt.
Task<Outcome> Call::hedged_attempt(std::chrono::nanoseconds delay) {
  Hedge<Outcome> hedge;
  const auto first = [this, &hedge] { return send_copy(hedge); };
  const auto second = [this, &hedge, delay] { return second_copy(hedge, delay); };
  std::variant<Outcome, Outcome> counts = co_await race(first, second);
  if (counts.index() == 0) co_return std::get<0>(std::move(counts));
  Outcome outcome = std::get<1>(std::move(counts));
  if (is_good(outcome)) statistics_.won_hedges.fetch_add(1, base::relaxed);  // relaxed: a report
  co_return std::move(outcome);
}

Task<Outcome> Call::send_copy(Hedge<Outcome>& hedge) {
  Outcome outcome = co_await attempt();
  const bool good = is_good(outcome);
  std::optional<Outcome> counts = hedge.settle(std::move(outcome), good);
  if (!counts) co_await hedge.wait_for_end();
  co_return *std::move(counts);
}

Task<Outcome> Call::second_copy(Hedge<Outcome>& hedge, std::chrono::nanoseconds delay) {
  co_await sleep_for(delay);
  if (!may_hedge() || !hedge.begin_second()) co_await hedge.wait_for_end();
  statistics_.hedges.fetch_add(1, base::relaxed);  // relaxed: a report
  co_return co_await send_copy(hedge);
}

// A hedge does not wait for a place, since it would then be later than its delay says.
bool Call::may_hedge() {
  if (options_->concurrency.running_max != 0 && authority_->places.available() == 0) return false;
  if (is_enabled(options_->circuit_breaker) && authority_->circuit.refuses(coarse_now())) return false;
  return withdraw_from_budget();
}

bool Call::is_good(const Outcome& outcome) const noexcept {
  return !is_failure(outcome) && !is_retried(options_->retry, (*outcome)->head().status);
}

// Makes an attempt, if the circuit and the limit of concurrent requests permit it.
Task<Outcome> Call::attempt() {
  const auto not_sent = [](std::error_code error, FailureReason reason) {
    return std::unexpected(CallFailure{.error = error, .reason = reason});
  };
  if (has_ended()) co_return not_sent(std::make_error_code(std::errc::timed_out), FailureReason::timeout);
  Semaphore::Permit place;
  if (!authority_) co_return co_await send_once(std::move(place));
  if (options_->concurrency.running_max != 0) {
    Result<Semaphore::Permit> granted = co_await authority_->places.acquire_within(wait_for_place());
    if (!granted) co_return not_sent(ClientError::too_many_requests, FailureReason::concurrency_limit);
    place = std::move(*granted);
  }
  if (!is_enabled(options_->circuit_breaker)) co_return co_await send_once(std::move(place));
  std::optional<CircuitBreaker::Ticket> ticket = authority_->circuit.admit(coarse_now());
  if (!ticket) co_return not_sent(ClientError::circuit_open, FailureReason::circuit_open);
  Outcome outcome = co_await send_once(std::move(place));
  if (outcome || outcome.error().error != ClientError::no_tls) report(*ticket, outcome);
  co_return std::move(outcome);
}

bool Call::has_ended() const { return ends_at_ != kNever && coarse_now() >= ends_at_; }

std::chrono::nanoseconds Call::wait_for_place() const {
  const std::chrono::nanoseconds wait = options_->concurrency.wait_max;
  return ends_at_ == kNever ? wait : std::clamp(ends_at_ - coarse_now(), std::chrono::nanoseconds(0), wait);
}

void Call::report(CircuitBreaker::Ticket& ticket, const Outcome& outcome) {
  switch (ticket.report(!is_failure(outcome), coarse_now())) {
    case CircuitBreaker::Change::none:
      return;
    case CircuitBreaker::Change::opened:
      statistics_.opened_circuits.fetch_add(1, base::relaxed);  // relaxed: a report
      kLog(LogLevel::warning, "circuit opened: requests to the server fail",
           {{"server", uri_.authority},
            {"open_for", std::chrono::duration_cast<std::chrono::microseconds>(options_->circuit_breaker.open_for)}});
      return;
    case CircuitBreaker::Change::closed:
      kLog(LogLevel::info, "circuit closed: requests to the server succeed again", {{"server", uri_.authority}});
      return;
  }
}

// Sends the request once; and once more if that was on a kept connection that the server has closed. `place` is kept by
// the response, if there is one.
Task<Outcome> Call::send_once(Semaphore::Permit place) {
  if (OwnedConnection kept = pool_->take(origin_)) {
    Outcome outcome = co_await send_on(std::move(kept), place);
    if (outcome || !idempotent_ || outcome.error().answered) co_return std::move(outcome);
    if (!is_end_of_connection(outcome.error().error)) co_return std::move(outcome);
  }
  const std::chrono::nanoseconds limit =
      ends_at_ == kNever ? options_->connect_timeout : std::min(options_->connect_timeout, ends_at_ - coarse_now());
  Result<OwnedConnection> connection = co_await connect(*options_, uri_, request_.via_, limit, pool_->statistics());
  if (!connection)
    co_return std::unexpected(CallFailure{.error = connection.error(), .reason = FailureReason::connect});
  co_return co_await send_on(std::move(*connection), place);
}

Task<Outcome> Call::send_on(OwnedConnection connection, Semaphore::Permit& place) {
  const std::string& field = options_->deadline_field;
  FieldList timed;  // the request's fields and the remaining time
  const bool tells_time = !field.empty() && ends_at_ != kNever;
  if (tells_time) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(ends_at_ - coarse_now());
    timed = request_.fields_;
    timed.set(field, std::to_string(std::max<std::int64_t>(left.count(), 0)));
  }
  auto exchange = std::make_unique<Exchange>(options_, pool_, std::move(connection), ends_at_);
  const Result<void> sent = co_await exchange->round_trip(request_, tells_time ? timed : request_.fields_, uri_);
  if (sent) {
    exchange->keep_place(authority_, std::move(place));
    co_return std::move(exchange);
  }
  const bool late = sent.error() == std::errc::timed_out;
  co_return std::unexpected(CallFailure{.error = sent.error(),
                                        .reason = late ? FailureReason::timeout : FailureReason::response,
                                        .answered = !exchange->received_nothing()});
}

bool Call::may_retry(const Outcome& outcome) const noexcept {
  if (streams_) return false;
  if (outcome) return idempotent_ && is_retried(options_->retry, (*outcome)->head().status);
  const CallFailure& failure = outcome.error();
  if (failure.reason == FailureReason::connect) return is_temporary_connect_error(failure.error);
  return idempotent_ && !failure.answered && is_end_of_connection(failure.error);
}

// Returns how long to wait before the next attempt; none if there is no further attempt.
std::optional<std::chrono::nanoseconds> Call::pause_before_retry(const Outcome& outcome) {
  const RetryOptions& retry = options_->retry;
  if (attempts_made_ >= retry.attempts_max || !may_retry(outcome)) return std::nullopt;
  if (is_enabled(options_->circuit_breaker) && authority_->circuit.refuses(coarse_now())) return std::nullopt;
  std::chrono::nanoseconds pause = backoff(retry, attempts_made_, random_of(retry));
  if (outcome) {
    const auto now = wall_second();
    const Fields fields = (*outcome)->head().fields;
    const auto asked = retry_after(fields.find("Retry-After").value_or(""), fields.find("Date").value_or(""), now);
    if (asked > retry.retry_after_max) return std::nullopt;
    pause = std::max(pause, asked);
  }
  if (ends_at_ != kNever && pause >= ends_at_ - coarse_now()) return std::nullopt;
  return withdraw_from_budget() ? std::optional(pause) : std::nullopt;
}

bool Call::withdraw_from_budget() {
  if (authority_->retry_budget.withdraw()) return true;
  statistics_.exhausted_budgets.fetch_add(1, base::relaxed);  // relaxed: a report
  return false;
}

}  // namespace volt::http::client
