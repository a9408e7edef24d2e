// SPDX-License-Identifier: MIT

// OpensslClient: a TLS client that uses OpenSSL directly. Its ciphertext goes in and out as strings.
#pragma once

#include <openssl/err.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/check.h"
#include "tests/tls/test_certificate.h"
#include "tls/internal/handles.h"

namespace volt::tls::test {

using SessionHandle = std::unique_ptr<SSL_SESSION, internal::Free<SSL_SESSION_free>>;

struct ClientOptions {
  std::string server_name;
  std::string protocols;                         // ALPN protocols, each with its length as prefix: "\x08http/1.1"
  int version = 0;                               // the only allowed version, such as TLS1_2_VERSION; 0: any
  const TestCertificate* certificate = nullptr;  // client certificate; null: none
  SSL_SESSION* session = nullptr;                // session to resume; null: none
};

class OpensslClient {
 public:
  explicit OpensslClient(const ClientOptions& options = {}) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX* const context = context_.get();
    if (options.version != 0 && options.version < TLS1_2_VERSION) SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context, options.version == 0 ? TLS1_2_VERSION : options.version);
    SSL_CTX_set_max_proto_version(context, options.version);
    if (options.certificate != nullptr) {
      SSL_CTX_use_certificate(context, options.certificate->x509());
      SSL_CTX_use_PrivateKey(context, options.certificate->key());
    }
    ssl_.reset(SSL_new(context));
    SSL_set_bio(ssl(), in_ = BIO_new(BIO_s_mem()), out_ = BIO_new(BIO_s_mem()));
    BIO_set_mem_eof_return(in_, -1);
    SSL_set_connect_state(ssl());
    if (!options.server_name.empty()) SSL_set_tlsext_host_name(ssl(), options.server_name.c_str());
    const auto* protocols = reinterpret_cast<const unsigned char*>(options.protocols.data());
    SSL_set_alpn_protos(ssl(), protocols, static_cast<unsigned>(options.protocols.size()));
    if (options.session != nullptr) SSL_set_session(ssl(), options.session);
  }
  // Without a shutdown OpenSSL would mark the session as not resumable.
  ~OpensslClient() { SSL_set_shutdown(ssl(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); }
  OpensslClient(const OpensslClient&) = delete;
  OpensslClient& operator=(const OpensslClient&) = delete;

  [[nodiscard]] SSL* ssl() const { return ssl_.get(); }

  void feed(std::string_view bytes) {
    if (!bytes.empty()) VOLT_CHECK(BIO_write(in_, bytes.data(), static_cast<int>(bytes.size())) > 0);
  }
  [[nodiscard]] std::string take_output() {
    std::string bytes(BIO_ctrl_pending(out_), '\0');
    if (!bytes.empty()) BIO_read(out_, bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }

  // Continues the handshake as far as possible. Afterwards done() or failed() may be true.
  void handshake() {
    if (done() || failed_) return;
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl());
    failed_ = result != 1 && SSL_get_error(ssl(), result) != SSL_ERROR_WANT_READ;
    ERR_clear_error();
  }
  [[nodiscard]] bool done() const { return SSL_is_init_finished(ssl()) == 1; }
  [[nodiscard]] bool failed() const { return failed_; }

  void write(std::string_view text) {
    VOLT_CHECK(SSL_write(ssl(), text.data(), static_cast<int>(text.size())) == static_cast<int>(text.size()));
  }
  // Returns all data that can be decrypted now.
  [[nodiscard]] std::string read() {
    std::string text;
    char piece[16 * 1024];
    ERR_clear_error();
    for (int count; (count = SSL_read(ssl(), piece, sizeof piece)) > 0;)
      text.append(piece, static_cast<std::size_t>(count));
    ERR_clear_error();
    return text;
  }
  [[nodiscard]] bool saw_close_notify() const { return (SSL_get_shutdown(ssl()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  void close_notify() { SSL_shutdown(ssl()); }

  // Returns the session, with the last ticket that the server sent, if there is one.
  [[nodiscard]] SessionHandle session() const { return SessionHandle(SSL_get1_session(ssl())); }
  [[nodiscard]] bool resumed() const { return SSL_session_reused(ssl()) == 1; }

  // Returns the common name of the server's certificate.
  [[nodiscard]] std::string server_common_name() const {
    char name[64] = "";
    X509* const certificate = SSL_get0_peer_certificate(ssl());
    if (certificate == nullptr) return "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    return name;
  }

 private:
  internal::SslContextHandle context_;
  internal::SslHandle ssl_;
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
  bool failed_ = false;
};

}  // namespace volt::tls::test
