// SPDX-License-Identifier: MIT

// TlsTransport: tls::Stream as a transport of HTTP. TlsSource makes them from certificates that can be reloaded.
//
// Threads, lifetime: http/transport/transport.h.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "http/transport/transport.h"
#include "runtime/tcp.h"
#include "tls/context.h"
#include "tls/options.h"
#include "tls/reloadable_context.h"
#include "tls/stream.h"

namespace volt::config {

class TlsTransport final : public http::Transport {
 public:
  explicit TlsTransport(std::shared_ptr<const tls::Context> context) noexcept : context_(std::move(context)) {}

  [[nodiscard]] Task<bool> open(TcpStream& socket) override;
  [[nodiscard]] Result<std::size_t> try_read(TcpStream& socket, std::span<std::byte> into) noexcept override;
  [[nodiscard]] Result<std::size_t> try_write(TcpStream& socket, std::span<const std::byte> from) noexcept override;
  [[nodiscard]] bool has_unread() const noexcept override { return stream_->has_unread(); }
  void close_notify(TcpStream&) noexcept override { stream_->close_notify(); }
  [[nodiscard]] bool secure() const noexcept override { return true; }
  [[nodiscard]] const http::message::TypedStore& facts() const noexcept override { return facts_; }

 private:
  [[nodiscard]] Task<> refuse(TcpStream& socket, std::error_code why);
  void learn_facts();

  std::shared_ptr<const tls::Context> context_;  // moved into stream_ by open()
  std::optional<tls::Stream<TcpStream&>> stream_;
  http::message::TypedStore facts_;
};

class TlsSource final : public http::TransportSource {
 public:
  explicit TlsSource(std::unique_ptr<tls::ReloadableContext> context) noexcept : context_(std::move(context)) {}

  [[nodiscard]] std::unique_ptr<http::Transport> make() override {
    return std::make_unique<TlsTransport>(context_->current());
  }
  [[nodiscard]] std::expected<void, std::string> reload() override { return context_->reload(); }
  [[nodiscard]] std::vector<std::string> files() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override { return context_->current()->warnings(); }
  [[nodiscard]] std::string handoff_secret() const override { return context_->export_ticket_keys(); }
  bool inherit(std::string_view handoff_secret) override { return context_->import_ticket_keys(handoff_secret); }

 private:
  std::unique_ptr<tls::ReloadableContext> context_;
};

}  // namespace volt::config
