// SPDX-License-Identifier: MIT

#include "config/tls/internal/transport.h"

#include <array>
#include <chrono>
#include <string_view>

#include "runtime/logger.h"
#include "tls/error.h"
#include "tls/options.h"

namespace volt::config {
namespace {

constexpr Logger kTlsLog("tls");

using namespace std::chrono_literals;

// RFC 9112 section 3.3 and RFC 9110 section 15.5.1: the client used the wrong port or the wrong scheme.
constexpr std::string_view kPlainHttpResponse =
    "HTTP/1.1 400 Bad Request\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 24\r\n"
    "Connection: close\r\n"
    "\r\n"
    "This port speaks HTTPS.\n";

constexpr auto kRejectTimeout = 1s;                  // time for a rejected client to read the response or the alert
constexpr std::size_t kDroppedBytesMax = 64 * 1024;  // maximum number of its bytes discarded within kRejectTimeout

std::string text_of(const TcpStream& socket) {
  const Result<Address> peer = socket.peer_address();
  return peer ? peer->to_string() : std::string("unknown");
}

// The buffer is not in a coroutine, whose frame would hold it during each handshake.
Result<std::size_t> drop_received(TcpStream& socket) noexcept {
  std::array<std::byte, 4096> dropped;
  return socket.try_read(dropped);
}

// Reads and discards received data before a close. A close with unread data sends a reset, and the peer may then lose
// data that was written before.
Task<> drop_rest(TcpStream& socket) {
  socket.set_read_deadline_in(kRejectTimeout);
  for (std::size_t bytes = 0; bytes < kDroppedBytesMax;) {
    const Result<void> ready = co_await socket.readable();
    if (!ready) co_return;
    const Result<std::size_t> count = drop_received(socket);
    if (would_block(count)) continue;
    if (!count || *count == 0) co_return;
    bytes += *count;
  }
}

bool is_path(const std::string& text) { return !text.empty() && !text.starts_with("-----BEGIN"); }

}  // namespace

void HandshakeCounts::report(MetricSink& sink) const {
  constexpr std::array<std::string_view, 3> kResults = {"full", "resumed", "failed"};
  for (std::size_t i = 0; i != kResults.size(); ++i) {
    sink.counter("volt_tls_handshakes_total",
                 "TLS handshakes with clients: with a new session (full), with a resumed one (resumed), and those that "
                 "failed or took too long (failed).",
                 {{"result", kResults[i]}}, counts_[i].load(base::relaxed));  // relaxed: a report
  }
}

Task<Result<void>> TlsTransport::open() {
  const Result<void> agreed = co_await stream_.handshake();
  if (counts_ != nullptr) {
    using Result = HandshakeCounts::Result;
    counts_->count(!agreed ? Result::failed : stream_.handshake_info().resumed ? Result::resumed : Result::full);
  }
  if (agreed) {
    learn_facts();
  } else if (!stream_.is_client()) {
    co_await reject(agreed.error());
  }
  co_return agreed;
}

// Logs nothing about a peer that has disconnected or never sent data: load balancers and scanners do this often.
Task<> TlsTransport::reject(std::error_code why) {
  if (why == tls::Error::plain_http) {
    kTlsLog(LogLevel::warning, "rejected plain HTTP on a TLS listener", {{"client", text_of(socket())}});
    [[maybe_unused]] const auto written = socket().try_write(std::as_bytes(std::span(kPlainHttpResponse)));
  } else if (why.category() == tls::error_category()) {
    kTlsLog(LogLevel::info, "TLS handshake failed",
            {{"client", text_of(socket())}, {"error", why.message()}, {"detail", stream_.failure()}});
  } else {
    co_return;
  }
  socket().shutdown_write();
  co_await drop_rest(socket());
}

void TlsTransport::learn_facts() {
  facts_.put(stream_.handshake_info());
  if (stream_.is_client()) return;
  if (auto certificate = stream_.client_certificate()) facts_.put(*std::move(certificate));
}

std::vector<std::string> TlsSource::files() const {
  const tls::Options& options = context_->options();
  std::vector<std::string> files{options.certificate, options.key, options.key_password_file, options.client_ca,
                                 options.client_crl};
  for (const tls::CertificateAndKey& more : options.more_certificates) {
    files.push_back(more.certificate);
    files.push_back(more.key);
  }
  std::erase_if(files, [](const std::string& file) { return !is_path(file); });
  return files;
}

}  // namespace volt::config
