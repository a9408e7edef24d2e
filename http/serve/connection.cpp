#include "http/serve/connection.h"

#include <algorithm>
#include <chrono>

#include "http/serve/respond.h"

namespace volt::http::serve {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kNoDeadline = nanoseconds::max();

// The connection is listed as long as it is served.
class Listed {
 public:
  Listed(Site& site, TcpStream& stream, std::uint32_t placed_on) : site_(site), stream_(stream), placed_on_(placed_on) {
    site_.add_connection(stream_);
  }
  ~Listed() {
    site_.remove_connection(stream_);
    site_.placement.leave(placed_on_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  Site& site_;
  TcpStream& stream_;
  std::uint32_t placed_on_;
};

// How long a transfer may still wait: until it stalls, or is below the least rate on the average. Never negative.
class Pace {
 public:
  explicit Pace(const ServerOptions& options) noexcept : options_(options), began_(coarse_now()) {}

  [[nodiscard]] nanoseconds patience(std::size_t bytes_moved) const noexcept {
    const auto earned =
        std::chrono::seconds(bytes_moved / std::max<std::size_t>(1, options_.rate_bytes_per_second_min));
    const nanoseconds left = began_ + options_.rate_grace + earned - coarse_now();
    return std::clamp<nanoseconds>(left, nanoseconds(0), options_.stall_timeout);
  }

 private:
  const ServerOptions& options_;
  const nanoseconds began_;
};

enum class Sent : std::uint8_t { all, some, broken };

// Sends as much as the kernel takes at once.
Sent send_some(TcpStream& stream, Exchange& exchange) noexcept {
  while (!exchange.unsent().empty()) {
    const Result<std::size_t> count = stream.try_write(exchange.unsent());
    if (!count) return count.error() == std::errc::operation_would_block ? Sent::some : Sent::broken;
    exchange.add_sent(*count);
  }
  return Sent::all;
}

// Sends the rest of what the kernel did not take. False if the peer is gone or too slow: then what is left is dropped.
Task<bool> send_rest(TcpStream& stream, Exchange& exchange, const ServerOptions& options) {
  const Pace pace(options);
  const std::size_t all = exchange.unsent().size();
  for (;;) {
    stream.set_write_deadline_in(pace.patience(all - exchange.unsent().size()));
    const Result<void> ready = co_await stream.writable();
    const Sent sent = ready ? send_some(stream, exchange) : Sent::broken;
    if (sent == Sent::some) continue;
    stream.set_write_deadline_in(kNoDeadline);
    if (sent == Sent::broken) stream.abort_on_close();
    co_return sent == Sent::all;
  }
}

// Gathers the body of the request whose head is here. Returns ok, or with what to refuse it; the connection has ended
// by itself if that is Status{}.
constexpr Status kConnectionEnded{};

Task<Status> read_body(TcpStream& stream, Exchange& exchange, const ServerOptions& options) {
  const Pace pace(options);
  bool promised = !exchange.decoder().expect_continue();
  for (;;) {
    const auto whole = exchange.decode_body();
    if (!whole) co_return codec::status_for(whole.error());
    if (*whole) co_return Status::ok;
    if (!promised) exchange.promise_to_read();  // RFC 9110 section 10.1.1
    promised = true;
    const Sent sent = send_some(stream, exchange);  // answers to earlier requests must not wait for this one
    if (sent == Sent::broken) co_return kConnectionEnded;
    if (sent == Sent::some) {
      const bool all_sent = co_await send_rest(stream, exchange, options);
      if (!all_sent) co_return kConnectionEnded;
    }
    stream.set_read_deadline_in(pace.patience(exchange.body_bytes()));
    const Result<void> ready = co_await stream.readable();
    if (!ready && ready.error() == std::errc::timed_out) co_return Status::request_timeout;
    const Result<std::size_t> count = stream.try_read(exchange.room());
    if (count && *count == 0) co_return Status::bad_request;  // RFC 9112 section 8: an incomplete message
    if (count) exchange.add_received(*count);
    if (!count && count.error() != std::errc::operation_would_block) co_return kConnectionEnded;
  }
}

// After our last byte: lets the peer read it before the connection goes. A close with unread data would make the kernel
// send a reset, which may overtake the answer (RFC 9112 section 9.6).
Task<> linger(TcpStream& stream, Exchange& exchange, const ServerOptions& options) {
  stream.shutdown_write();
  stream.set_read_deadline_in(options.linger_timeout);
  exchange.recycle();
  for (std::size_t dropped = 0; dropped < options.linger_bytes_max;) {
    const Result<void> ready = co_await stream.readable();
    if (!ready && ready.error() == std::errc::timed_out) co_return;
    const Result<std::size_t> count = stream.try_read(exchange.room());
    if (count && *count == 0) co_return;
    if (count) dropped += *count;
    if (!count && count.error() != std::errc::operation_would_block) co_return;
  }
}

}  // namespace

Task<> serve_connection(TcpStream accepted, std::shared_ptr<Site> site, std::uint32_t placed_on) {
  TcpStream stream = std::move(accepted);
  const Listed listed(*site, stream, placed_on);
  const ServerOptions& options = site->options;
  ExchangeLease exchange(*site);
  bool open = true;            // another request may follow
  bool broken = false;         // nobody is there to be answered
  bool head_is_timed = false;  // the deadline of a head that began is set
  bool saying_goodbye = false;
  stream.set_read_deadline_in(options.idle_timeout);

  while (open && !broken) {
    const Result<void> ready = co_await stream.readable();
    if (!ready && ready.error() == std::errc::interrupted) {
      // Draining. A request that is on its way already is still answered, so the connection idles a little longer.
      const bool idle = !exchange || exchange->idle();
      if (idle && !saying_goodbye) stream.set_read_deadline_in(options.drain_linger);
      saying_goodbye = saying_goodbye || idle;
      continue;
    }
    if (!ready) {
      if (!exchange || !exchange->started()) co_return;  // it idled: there is nothing to answer
      exchange->refuse(Status::request_timeout, site->date());
      open = false;
    } else {
      exchange.take();
      const Result<std::size_t> count = stream.try_read(exchange->room());
      if (!count && count.error() == std::errc::operation_would_block) {
        if (exchange->idle()) exchange.give_back();
        continue;
      }
      if (!count) co_return;
      if (*count == 0) {  // the peer sends no more
        if (!exchange->started()) co_return;
        exchange->refuse(Status::bad_request, site->date());  // RFC 9112 section 8: an incomplete message
        open = false;
      }
      exchange->add_received(*count);
    }

    while (open && !broken) {
      const auto head = exchange->decode_head();
      if (!head) {
        exchange->refuse(codec::status_for(head.error()), site->date());
        open = false;
        break;
      }
      if (*head == codec::HeadState::need_more) break;
      if (exchange->decoder().has_body()) {
        const Status body = co_await read_body(stream, *exchange, options);
        head_is_timed = true;  // by the body's deadline; the next head gets its own below
        if (body == kConnectionEnded) co_return;
        if (body != Status::ok) {
          exchange->refuse(body, site->date());
          open = false;
          break;
        }
      }
      Request request = exchange->request();
      const route::FixedRoutes::Found found = site->app.routes().find(request.method(), request.path());
      Response response = Response(Status::internal_server_error);
      if (found.handler != nullptr && found.handler->coroutine() != nullptr) {
        auto answered = respond_later(*found.handler->coroutine(), request);
        response = co_await std::move(answered);
      } else {
        response = respond(found, request);
      }
      open = exchange->decoder().keep_alive() && !response.closes() && !site->draining();
      exchange->answer(response, open, site->date());
      exchange->finish();
      if (exchange->unsent().size() < options.pipelined_bytes_max) continue;
      Sent sent = send_some(stream, *exchange);
      if (sent == Sent::some) {
        const bool all_sent = co_await send_rest(stream, *exchange, options);
        sent = all_sent ? Sent::all : Sent::broken;
      }
      broken = sent == Sent::broken;
    }

    Sent sent = send_some(stream, *exchange);
    if (sent == Sent::some) {
      const bool all_sent = co_await send_rest(stream, *exchange, options);
      sent = all_sent ? Sent::all : Sent::broken;
    }
    broken = broken || sent == Sent::broken;
    if (!open || broken) break;
    if (exchange->idle()) {
      exchange.give_back();
      stream.set_read_deadline_in(options.idle_timeout);
      head_is_timed = false;
    } else if (!head_is_timed) {
      stream.set_read_deadline_in(options.head_timeout);
      head_is_timed = true;
    }
  }
  if (!broken) co_await linger(stream, *exchange, options);
}

}  // namespace volt::http::serve
