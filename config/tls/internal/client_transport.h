// SPDX-License-Identifier: MIT

// TlsClientTransport: tls::Stream as a transport of an HttpClient. TlsClientSource makes them.
//
// Threads, lifetime: http/transport/transport.h.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "http/transport/client_transport.h"
#include "runtime/tcp.h"
#include "tls/client_context.h"
#include "tls/stream.h"

namespace volt::config {

class TlsClientTransport final : public http::Transport {
 public:
  explicit TlsClientTransport(std::shared_ptr<const tls::Context> context) noexcept : context_(std::move(context)) {}

  [[nodiscard]] Task<bool> open(TcpStream& socket) override;
  [[nodiscard]] std::error_code failure() const noexcept override { return failure_; }
  [[nodiscard]] Result<std::size_t> try_read(TcpStream&, std::span<std::byte> into) noexcept override {
    return stream_->try_read(into);
  }
  [[nodiscard]] Result<std::size_t> try_write(TcpStream&, std::span<const std::byte> from) noexcept override {
    return stream_->try_write(from);
  }
  [[nodiscard]] bool has_unread() const noexcept override { return stream_->has_unread(); }
  void close_notify(TcpStream&) noexcept override {
    if (stream_) stream_->close_notify();
  }
  [[nodiscard]] bool secure() const noexcept override { return true; }
  [[nodiscard]] const http::message::TypedStore& facts() const noexcept override { return facts_; }

 private:
  const std::shared_ptr<const tls::Context> context_;
  std::optional<tls::Stream<TcpStream&>> stream_;
  std::error_code failure_;
  http::message::TypedStore facts_;
};

class TlsClientSource final : public http::ClientTransportSource {
 public:
  explicit TlsClientSource(std::shared_ptr<const tls::ClientContext> context) noexcept : context_(std::move(context)) {}

  [[nodiscard]] std::unique_ptr<http::Transport> make(const std::string& host) override {
    return std::make_unique<TlsClientTransport>(context_->for_host(host));
  }

 private:
  const std::shared_ptr<const tls::ClientContext> context_;
};

}  // namespace volt::config
