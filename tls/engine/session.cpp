#include "tls/engine/session.h"

#include <string>
#include <utility>

#include "runtime/base/check.h"
#include "tls/engine/certificate_facts.h"
#include "tls/engine/context_state.h"
#include "tls/engine/error_queue.h"
#include "tls/engine/handles.h"
#include "tls/engine/wire_bio.h"

namespace volt::tls::engine {

struct Session::State {
  WirePort port;
  std::string server_name;
  std::string words;        // of the failure
  std::error_code failure;  // none: the session lives
  bool unread = false;
  bool told_end = false;
  SslHandle ssl;  // refers to the members above

  [[nodiscard]] std::unexpected<std::error_code> fail(std::error_code why) {
    failure = why;
    unread = false;
    return std::unexpected(failure);
  }

  // After a call that gave nothing and cannot go on. A cause that libssl names comes before what the wire did then:
  // a peer whose bytes are refused is often gone before the alert.
  [[nodiscard]] std::unexpected<std::error_code> fail() {
    QueuedError queued = take_error();
    if (port.plain) return fail(Error::plain_http);
    if (queued.found) {
      words = std::move(queued.words);
      if (queued.error == Error::certificate_refused) describe_refusal();
      return fail(queued.error);
    }
    if (port.failure) return fail(port.failure);
    if (ssl && SSL_get_shutdown(ssl.get()) != 0) return fail(Error::refused_by_peer);  // close_notify in the handshake
    return fail(port.ended ? Error::truncated : Error::internal);
  }

  void describe_refusal() {
    const long verdict = SSL_get_verify_result(ssl.get());
    if (verdict != X509_V_OK) words += std::string(": ") + X509_verify_cert_error_string(verdict);
  }
};

namespace {

// The server's connection, made when the client has something to say.
SslHandle make_ssl(const Context& context, WirePort& port, std::string& server_name) {
  SslHandle ssl(SSL_new(context.state().certificates.front().get()));
  BioHandle bio = make_wire_bio(port);
  if (!ssl || !bio) return nullptr;
  BIO* const both = bio.release();
  SSL_set_bio(ssl.get(), both, both);  // takes the one reference for both directions
  SSL_set_app_data(ssl.get(), &server_name);
  SSL_set_accept_state(ssl.get());
  return ssl;
}

// What libssl waits for; nothing: it has failed.
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

}  // namespace

Session::Session(std::shared_ptr<const Context> context) noexcept : context_(std::move(context)) {}
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(Session&& other) noexcept = default;
Session::~Session() = default;

Result<Progress> Session::handshake(Wire& wire) {
  if (!state_) state_ = std::make_unique<State>();
  State& state = *state_;
  if (state.failure) return std::unexpected(state.failure);
  clear_errors();
  if (!state.ssl) state.ssl = make_ssl(*context_, state.port, state.server_name);
  if (!state.ssl) return state.fail();

  state.port.wire = &wire;
  const int result = SSL_do_handshake(state.ssl.get());
  if (result != 1) {
    const auto wants = wanted(state.ssl.get(), result);
    if (!wants) return state.fail();
    clear_errors();
    return *wants;
  }
  state.unread = SSL_has_pending(state.ssl.get()) == 1;
  return Progress::done;
}

Result<std::size_t> Session::read(Wire& wire, std::span<std::byte> into) {
  VOLT_CHECK(state_ != nullptr);
  State& state = *state_;
  if (state.failure) return std::unexpected(state.failure);
  SSL* const ssl = state.ssl.get();
  state.port.wire = &wire;
  std::size_t total = 0;
  while (total != into.size()) {
    clear_errors();
    std::size_t count = 0;
    const int result = SSL_read_ex(ssl, into.data() + total, into.size() - total, &count);
    total += count;
    state.unread = SSL_has_pending(ssl) == 1;
    if (result == 1 && state.unread) continue;
    if (result == 1) break;

    state.unread = false;
    const int why = SSL_get_error(ssl, result);
    if (why == SSL_ERROR_ZERO_RETURN) {
      state.unread = total != 0;  // the 0 of the end is yet to be told
      return total;
    }
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
      const auto failure = state.fail();
      if (total == 0) return failure;  // else the next call tells it
      state.unread = true;
      return total;
    }
    clear_errors();
    if (total == 0) return error(std::errc::operation_would_block);
    break;
  }
  return total;
}

Result<std::size_t> Session::write(Wire& wire, std::span<const std::byte> from) {
  VOLT_CHECK(state_ != nullptr);
  State& state = *state_;
  if (state.failure) return std::unexpected(state.failure);
  SSL* const ssl = state.ssl.get();
  state.port.wire = &wire;
  std::size_t total = 0;
  while (total != from.size()) {
    clear_errors();
    std::size_t count = 0;
    const int result = SSL_write_ex(ssl, from.data() + total, from.size() - total, &count);
    total += count;
    if (result == 1) continue;
    if (!wanted(ssl, result)) {
      const auto failure = state.fail();
      return total == 0 ? Result<std::size_t>(failure) : total;
    }
    clear_errors();
    if (total == 0) return error(std::errc::operation_would_block);
    break;
  }
  return total;
}

void Session::close_notify(Wire& wire) noexcept {
  if (!state_ || !state_->ssl || state_->failure || state_->told_end) return;
  if (SSL_is_init_finished(state_->ssl.get()) != 1) return;
  state_->told_end = true;
  state_->port.wire = &wire;
  clear_errors();
  SSL_shutdown(state_->ssl.get());
  clear_errors();
}

bool Session::has_unread() const noexcept { return state_ && state_->unread; }

std::string_view Session::failure() const noexcept { return state_ ? std::string_view(state_->words) : ""; }

ConnectionFacts Session::facts() const {
  VOLT_CHECK(state_ != nullptr);
  const SSL* const ssl = state_->ssl.get();
  const unsigned char* protocol = nullptr;
  unsigned int bytes = 0;
  SSL_get0_alpn_selected(ssl, &protocol, &bytes);
  return {.protocol = SSL_get_version(ssl),
          .cipher = SSL_get_cipher_name(ssl),
          .server_name = state_->server_name,
          .application_protocol = std::string(reinterpret_cast<const char*>(protocol), bytes),
          .resumed = SSL_session_reused(ssl) == 1};
}

std::optional<ClientCertificate> Session::client_certificate() const {
  VOLT_CHECK(state_ != nullptr);
  const X509* const certificate = SSL_get0_peer_certificate(state_->ssl.get());
  if (certificate == nullptr) return std::nullopt;
  return describe(certificate);
}

}  // namespace volt::tls::engine
