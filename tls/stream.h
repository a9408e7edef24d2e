// Stream: TLS over another ByteStream, as a server speaks it.
//
//   tls::Stream stream(std::move(tcp_stream), context.current());
//   const Result<void> ready = co_await stream.handshake();
//
// Next is a stream, or a reference to one that outlives this. Only handshake() waits; the rest is as in
// runtime/stream.h, with the errors of tls/connection.h and its rule for writing the rest.
//
// Threads: belongs to one task at a time and may move with it.
// Lifetime: it says close_notify when it goes, without waiting, then Next closes the connection.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/result.h"
#include "runtime/task.h"
#include "tls/connection.h"

namespace volt::tls {

template <class Next>
class Stream {
 public:
  Stream(Next next, std::shared_ptr<const Context> context) noexcept
      : next_(std::forward<Next>(next)), connection_(std::move(context)) {}
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&&) = delete;
  ~Stream() { close_notify(); }

  [[nodiscard]] Task<Result<void>> handshake() { return connection_.handshake(next_); }

  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) { return connection_.try_read(next_, into); }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) {
    return connection_.try_write(next_, from);
  }

  // Is over at once while has_unread().
  [[nodiscard]] auto readable() noexcept {
    using NextWait = decltype(next_.readable());
    return ReadableWait<NextWait>{has_unread(), next_.readable()};
  }
  [[nodiscard]] auto writable() noexcept { return next_.writable(); }

  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept { next_.set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept { next_.set_write_deadline_in(limit); }

  [[nodiscard]] bool has_unread() const noexcept { return connection_.has_unread(); }

  void close_notify() noexcept { connection_.close_notify(next_); }
  void shutdown_write() noexcept {
    close_notify();
    next_.shutdown_write();
  }

  // As in tls/connection.h.
  [[nodiscard]] ConnectionFacts facts() const { return connection_.facts(); }
  [[nodiscard]] std::optional<ClientCertificate> client_certificate() const { return connection_.client_certificate(); }
  [[nodiscard]] std::string_view failure() const noexcept { return connection_.failure(); }

  // What is below: to answer in plain text after Error::plain_http, for the peer's address, for interrupt_read().
  [[nodiscard]] std::remove_reference_t<Next>& next() noexcept { return next_; }

 private:
  template <class NextWait>
  struct ReadableWait {
    const bool unread;
    NextWait next;

    [[nodiscard]] bool await_ready() noexcept { return unread || next.await_ready(); }
    [[nodiscard]] auto await_suspend(std::coroutine_handle<> frame) noexcept { return next.await_suspend(frame); }
    [[nodiscard]] Result<void> await_resume() { return unread ? Result<void>{} : next.await_resume(); }
  };

  Next next_;
  Connection connection_;
};

template <class Next>
Stream(Next, std::shared_ptr<const Context>) -> Stream<Next>;

}  // namespace volt::tls
