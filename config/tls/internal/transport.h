// SPDX-License-Identifier: MIT

// TlsTransport: tls::Stream as a transport of HTTP, of a server or of an HttpClient. TlsSource makes those of a server,
// from certificates that can be reloaded.
//
// Threads, lifetime: http/transport/transport.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "http/transport/transport.h"
#include "runtime/base/atomic.h"
#include "runtime/metric_sink.h"
#include "tls/context.h"
#include "tls/reloadable_context.h"
#include "tls/stream.h"

namespace volt::config {

// Counts handshakes, by result.
class HandshakeCounts {
 public:
  enum class Result : std::uint8_t { full, resumed, failed };

  void count(Result result) noexcept {
    counts_[static_cast<std::size_t>(result)].fetch_add(1, base::relaxed);  // relaxed: a report
  }
  void report(MetricSink& sink) const;

 private:
  std::array<base::Atomic<std::uint64_t>, 3> counts_{};
};

class TlsTransport final : public http::Transport {
 public:
  // `counts` may be null.
  TlsTransport(TcpStream& socket, std::shared_ptr<const tls::Context> context,
               std::shared_ptr<HandshakeCounts> counts = nullptr) noexcept
      : Transport(socket), stream_(socket, std::move(context)), counts_(std::move(counts)) {}

  // A server also tells a client that it rejects why, and logs it.
  [[nodiscard]] Task<Result<void>> open() override;
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    return stream_.try_read(into);
  }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    return stream_.try_write(from);
  }
  void shutdown_write() noexcept override { stream_.shutdown_write(); }
  [[nodiscard]] bool secure() const noexcept override { return true; }
  [[nodiscard]] const http::message::TypedStore& facts() const noexcept override { return facts_; }

 private:
  [[nodiscard]] Task<> reject(std::error_code why);
  void learn_facts();

  tls::Stream stream_;
  std::shared_ptr<HandshakeCounts> counts_;
  http::message::TypedStore facts_;
};

class TlsSource final : public http::TransportSource {
 public:
  explicit TlsSource(std::unique_ptr<tls::ReloadableContext> context) noexcept : context_(std::move(context)) {}

  [[nodiscard]] std::unique_ptr<http::Transport> make(TcpStream& socket) override {
    return std::make_unique<TlsTransport>(socket, context_->current(), counts_);
  }
  [[nodiscard]] std::expected<void, std::string> reload() override { return context_->reload(); }
  [[nodiscard]] std::vector<std::string> files() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override { return context_->current()->warnings(); }
  [[nodiscard]] std::string handoff_secret() const override { return context_->export_ticket_keys(); }
  void report_metrics(MetricSink& sink) const override { counts_->report(sink); }
  bool inherit(std::string_view handoff_secret) override { return context_->import_ticket_keys(handoff_secret); }

 private:
  std::unique_ptr<tls::ReloadableContext> context_;
  std::shared_ptr<HandshakeCounts> counts_ = std::make_shared<HandshakeCounts>();
};

}  // namespace volt::config
