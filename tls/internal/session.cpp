// SPDX-License-Identifier: MIT

#include "tls/internal/session.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/check.h"
#include "tls/internal/certificate_info.h"
#include "tls/internal/client_session.h"
#include "tls/internal/context_state.h"
#include "tls/internal/error_queue.h"
#include "tls/internal/handles.h"
#include "tls/internal/protocol_settings.h"
#include "tls/internal/stream_bio.h"

namespace volt::tls::internal {
namespace {

// How many bytes one call of libssl may read: the rest of a record and a whole one. Without this limit the call would
// not return while the peer sends records without data, such as key updates (RFC 8446 section 4.6.3).
constexpr std::size_t kReadBytesMax = 2 * SSL3_RT_MAX_ENCRYPTED_LENGTH;

// Returns what libssl waits for; nothing if the call failed.
std::optional<Progress> wanted(const SSL* ssl, int result) noexcept {
  switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ:
      return Progress::wants_read;
    case SSL_ERROR_WANT_WRITE:
      return Progress::wants_write;
    default:
      return std::nullopt;
  }
}

// Frees the ephemeral keys after the handshake. libssl would keep them as long as the connection: 430 bytes for X25519,
// over 8 KiB for ML-KEM, and a secret that decrypts a recording of the connection.
void forget_key_exchange(SSL* ssl) {
  EVP_PKEY* keys[2] = {};
  if (SSL_get_tmp_key(ssl, &keys[0]) != 1) keys[0] = nullptr;
  if (SSL_get_peer_tmp_key(ssl, &keys[1]) != 1) keys[1] = nullptr;
  for (EVP_PKEY* const key : keys) {
    if (key == nullptr) continue;
    EVP_PKEY_set_type(key, EVP_PKEY_X25519);  // frees the key material of any type
    EVP_PKEY_free(key);                       // drops the reference that SSL_get_*tmp_key() took
  }
  clear_errors();
}

// Returns the protocol of RFC 7301 as static text, because the text of libssl lives only as long as the connection.
std::string_view agreed_protocol(const SSL* ssl) noexcept {
  const unsigned char* name = nullptr;
  unsigned int bytes = 0;
  SSL_get0_alpn_selected(ssl, &name, &bytes);
  const auto* const found =
      std::ranges::find(kApplicationProtocols, std::string_view(reinterpret_cast<const char*>(name), bytes));
  return found == std::end(kApplicationProtocols) ? std::string_view() : *found;
}

}  // namespace

struct Session::State {
  BioState bio_state;
  std::error_code failure;  // no error while the session lives
  std::string words;        // description of `failure`
  bool unread = false;
  bool sent_close_notify = false;
  SslHandle ssl;  // holds a pointer to bio_state

  [[nodiscard]] bool open(const Context& context);
  // Reads one record or a part of it. Returns 0 after close_notify.
  [[nodiscard]] Result<std::size_t> read_once(std::span<std::byte> into);
  [[nodiscard]] Result<std::size_t> write_once(std::span<const std::byte> from);
  [[nodiscard]] bool has_pending() const noexcept { return SSL_has_pending(ssl.get()) == 1; }

  // Returns the error after a failed call of libssl: operation_would_block, or the error that ends the session.
  [[nodiscard]] std::unexpected<std::error_code> blocked_or_failed(int result);
  [[nodiscard]] std::unexpected<std::error_code> fail();
  [[nodiscard]] std::error_code cause();
};

bool Session::State::open(const Context& context) {
  ssl.reset(SSL_new(context.state().certificates.front().get()));
  BioHandle bio = make_stream_bio(bio_state);
  if (!ssl || !bio) return false;
  BIO* const both = bio.release();
  SSL_set_bio(ssl.get(), both, both);  // takes over one reference for both directions
  if (context.is_client()) return begin_as_client(ssl.get(), context.state().server);
  SSL_set_accept_state(ssl.get());
  return true;
}

Result<std::size_t> Session::State::read_once(std::span<std::byte> into) {
  clear_errors();
  bio_state.read_bytes_left = kReadBytesMax;
  std::size_t count = 0;
  const int result = SSL_read_ex(ssl.get(), into.data(), into.size(), &count);
  if (result == 1) return count;
  if (SSL_get_error(ssl.get(), result) == SSL_ERROR_ZERO_RETURN) return 0;
  return blocked_or_failed(result);
}

Result<std::size_t> Session::State::write_once(std::span<const std::byte> from) {
  clear_errors();
  std::size_t count = 0;
  const int result = SSL_write_ex(ssl.get(), from.data(), from.size(), &count);
  // libssl 3.2 and later report success although the BIO has failed without asking for a retry.
  if (result == 1 && !bio_state.failure) return count;
  return blocked_or_failed(result);
}

std::unexpected<std::error_code> Session::State::blocked_or_failed(int result) {
  const bool failed = !wanted(ssl.get(), result);
  static_cast<void>(bio_state.flush());  // there is no response to send tickets with, so send them now
  if (failed || bio_state.failure) return fail();
  clear_errors();
  return error(std::errc::operation_would_block);
}

std::unexpected<std::error_code> Session::State::fail() {
  failure = cause();
  return std::unexpected(failure);
}

// Returns the cause of a failure. An error of libssl takes precedence over one of the stream below, because a peer
// whose bytes were rejected often disconnects before the alert is sent.
std::error_code Session::State::cause() {
  QueuedError queued = take_error();
  if (bio_state.plain) return Error::plain_http;
  if (queued.found) {
    words = std::move(queued.words);
    const long verdict = ssl ? SSL_get_verify_result(ssl.get()) : X509_V_OK;
    if (verdict != X509_V_OK) words += std::string(": ") + X509_verify_cert_error_string(verdict);
    return queued.error;
  }
  if (bio_state.failure) return bio_state.failure;
  if (bio_state.ended) return Error::truncated;
  const bool peer_closed = ssl && (SSL_get_shutdown(ssl.get()) & SSL_RECEIVED_SHUTDOWN) != 0;  // during the handshake
  return peer_closed ? Error::refused_by_peer : Error::internal;
}

Session::Session(std::shared_ptr<const Context> context) noexcept : context_(std::move(context)) {}
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(Session&& other) noexcept = default;
Session::~Session() = default;

Result<Progress> Session::handshake(volt::Stream& next) {
  if (!state_) state_ = std::make_unique<State>();
  State& state = *state_;
  if (state.failure) return std::unexpected(state.failure);
  clear_errors();
  if (!state.ssl && !state.open(*context_)) return state.fail();

  state.bio_state.next = &next;
  state.bio_state.gathers = true;
  const int result = SSL_do_handshake(state.ssl.get());
  state.bio_state.gathers = false;
  const auto wants = result == 1 ? Progress::done : wanted(state.ssl.get(), result);
  // In TLS 1.3 the client has now completed its handshake, and only session tickets remain to be sent. They are sent
  // with the first response.
  const bool only_tickets = result == 1 && SSL_version(state.ssl.get()) == TLS1_3_VERSION;
  const bool flushed = only_tickets || state.bio_state.flush();
  if (!wants || state.bio_state.failure) return state.fail();
  clear_errors();
  if (!flushed) return Progress::wants_write;
  if (*wants == Progress::done) {
    forget_key_exchange(state.ssl.get());
    state.unread = state.has_pending();
  }
  return *wants;
}

Result<std::size_t> Session::read(volt::Stream& next, std::span<std::byte> into) {
  VOLT_CHECK(state_ != nullptr);
  State& state = *state_;
  if (state.failure) return std::unexpected(state.failure);
  state.bio_state.next = &next;
  std::size_t total = 0;
  while (total != into.size()) {
    const Result<std::size_t> count = state.read_once(into.subspan(total));
    if (!count || *count == 0) {
      const bool blocked = !state.failure && !count;
      // The next call returns the end or the error, or reads on.
      state.unread = blocked ? state.bio_state.read_bytes_left == 0 : total != 0;
      if (total == 0) return count;
      break;
    }
    total += *count;
    state.unread = state.has_pending();
    if (!state.unread) break;
  }
  return total;
}

Result<std::size_t> Session::write(volt::Stream& next, std::span<const std::byte> from) {
  VOLT_CHECK(state_ != nullptr);
  State& state = *state_;
  if (state.failure) return std::unexpected(state.failure);
  if (state.sent_close_notify) return error(std::errc::broken_pipe);
  state.bio_state.next = &next;
  std::size_t total = 0;
  while (total != from.size()) {
    const Result<std::size_t> count = state.write_once(from.subspan(total));
    if (!count && total == 0) return count;
    if (!count) break;
    total += *count;
  }
  return total;
}

void Session::close_notify(volt::Stream& next) noexcept {
  if (!state_ || !state_->ssl || state_->failure || state_->sent_close_notify) return;
  if (SSL_is_init_finished(state_->ssl.get()) != 1) return;
  state_->sent_close_notify = true;
  state_->bio_state.next = &next;
  clear_errors();
  SSL_shutdown(state_->ssl.get());
  clear_errors();
}

bool Session::has_unread() const noexcept { return state_ && state_->unread; }

std::string_view Session::failure() const noexcept { return state_ ? std::string_view(state_->words) : ""; }

HandshakeInfo Session::handshake_info() const {
  VOLT_CHECK(state_ != nullptr);
  const SSL* const ssl = state_->ssl.get();
  return {.protocol = SSL_get_version(ssl),
          .cipher = SSL_get_cipher_name(ssl),
          .application_protocol = agreed_protocol(ssl),
          .server_name = state_->bio_state.server_name,
          .resumed = SSL_session_reused(ssl) == 1};
}

std::optional<ClientCertificate> Session::client_certificate() const {
  VOLT_CHECK(state_ != nullptr);
  const X509* const certificate = SSL_get0_peer_certificate(state_->ssl.get());
  if (certificate == nullptr) return std::nullopt;
  return describe(certificate);
}

}  // namespace volt::tls::internal
