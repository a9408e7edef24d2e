// SPDX-License-Identifier: MIT

#include "tls/development_certificate.h"

#include <doctest/doctest.h>

#include <ostream>
#include <string>

#include "tests/tls/client_server_pair.h"

namespace volt::tls {

TEST_SUITE_BEGIN("tls/development_certificate");

TEST_CASE("the certificate is valid only for localhost and its addresses") {
  const CertificateAndKey made = development_certificate();
  const auto context = test::load({.certificate = made.certificate, .key = made.key});
  CHECK(context->warnings().empty());
  const internal::BioHandle pem(BIO_new_mem_buf(made.certificate.data(), static_cast<int>(made.certificate.size())));
  const internal::CertificateHandle certificate(PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr));
  REQUIRE(certificate != nullptr);
  struct Case {
    std::string host;
    std::string address;
    bool accepted;
  };
  const Case cases[] = {{"localhost", "", true},
                        {"", "127.0.0.1", true},
                        {"", "::1", true},
                        {"example.com", "", false},
                        {"", "127.0.0.2", false}};
  for (const Case& c : cases) {
    CAPTURE(c.host);
    CAPTURE(c.address);
    test::ClientServerPair peers(context, {.server_name = c.host});
    SSL* const ssl = peers.client.ssl();
    X509_STORE* const trusted = X509_STORE_new();
    X509_STORE_add_cert(trusted, certificate.get());
    SSL_set0_verify_cert_store(ssl, trusted);
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
    if (!c.host.empty()) SSL_set1_host(ssl, c.host.c_str());
    if (!c.address.empty()) X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), c.address.c_str());
    CHECK(peers.shake_hands() == c.accepted);
  }
}

TEST_CASE("every call generates a new key") { CHECK(development_certificate().key != development_certificate().key); }

}  // namespace volt::tls
