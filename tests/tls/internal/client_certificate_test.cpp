// SPDX-License-Identifier: MIT

// Tests of handshakes with client certificates.
#include <doctest/doctest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/tls/client_server_pair.h"
#include "tls/error.h"
#include "tls/internal/session.h"

namespace volt::tls::internal {
namespace {

using test::ClientServerPair;
using test::TestCertificate;

const TestCertificate& site() {
  static const TestCertificate certificate({.common_name = "site", .names = "DNS:site.example"});
  return certificate;
}

std::string words_of(const Result<Progress>& progress) {
  return progress ? std::string("no error") : progress.error().message();
}

}  // namespace

TEST_SUITE_BEGIN("tls/internal/client_certificate");

TEST_CASE("client certificates are requested, verified and described") {
  const TestCertificate authority({.common_name = "authority", .authority = true});
  const TestCertificate other_authority({.common_name = "other", .authority = true});
  const TestCertificate alice(
      {.common_name = "alice", .names = "DNS:alice.example,IP:192.0.2.1,email:a@example", .issuer = &authority});
  const TestCertificate mallory({.common_name = "mallory", .issuer = &other_authority});
  const TestCertificate expired({.common_name = "expired", .issuer = &authority, .first_day = -9, .last_day = -2});
  const TestCertificate self_signed({.common_name = "alice"});
  enum class End { known, unknown, refused };
  struct Case {
    std::string why;
    ClientCertificates policy;
    const TestCertificate* certificate;
    End end;
  };
  using enum ClientCertificates;
  const Case cases[] = {
      {"not requested, not available", none, nullptr, End::unknown},
      {"not requested, not sent", none, &alice, End::unknown},
      {"optional, none", optional, nullptr, End::unknown},
      {"optional, valid", optional, &alice, End::known},
      {"optional, of another authority", optional, &mallory, End::refused},
      {"required, none", required, nullptr, End::refused},
      {"required, valid", required, &alice, End::known},
      {"required, of another authority", required, &mallory, End::refused},
      {"required, expired", required, &expired, End::refused},
      {"required, self-signed", required, &self_signed, End::refused},
  };
  for (const Case& c : cases) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      CAPTURE(c.why);
      Options options = test::options_for(site());
      options.client_certificates = c.policy;
      if (c.policy != none) options.client_ca = authority.pem();
      ClientServerPair peers(test::load(options), {.version = version, .certificate = c.certificate});
      peers.shake_hands();
      CHECK(peers.server_done() == (c.end != End::refused));
      if (c.end == End::refused) {
        CHECK(words_of(peers.progress) == make_error_code(Error::certificate_refused).message());
        CHECK_FALSE(peers.server.failure().empty());
        continue;
      }
      const auto certificate = peers.server.client_certificate();
      REQUIRE(certificate.has_value() == (c.end == End::known));
      if (!certificate) continue;
      CHECK(certificate->subject == "CN=alice");
      CHECK(certificate->names == std::vector<std::string>{"DNS:alice.example", "IP:192.0.2.1", "email:a@example"});
      CHECK(certificate->sha256.size() == 64);
      const auto* der = reinterpret_cast<const unsigned char*>(certificate->der.data());
      const CertificateHandle parsed(d2i_X509(nullptr, &der, static_cast<long>(certificate->der.size())));
      REQUIRE(parsed != nullptr);
      CHECK(X509_cmp(parsed.get(), alice.x509()) == 0);
    }
  }
}

TEST_CASE("a client whose certificate is revoked is refused") {
  const TestCertificate authority({.common_name = "authority", .authority = true});
  const TestCertificate other({.common_name = "other", .authority = true});
  const TestCertificate alice({.common_name = "alice", .issuer = &authority});
  const TestCertificate bob({.common_name = "bob", .issuer = &authority});
  struct Case {
    std::string why;
    std::string revocation_lists;
    bool accepted;
  };
  const Case cases[] = {
      {"nothing is revoked", authority.revocation_list({}), true},
      {"another certificate is", authority.revocation_list({&bob}), true},
      {"the client's certificate is", authority.revocation_list({&bob, &alice}), false},
      {"the list has expired", authority.revocation_list({}, -2), false},
      {"the list is another authority's", other.revocation_list({}), false},
      {"there are lists of both", other.revocation_list({&alice}) + authority.revocation_list({}), true},
  };
  for (const Case& c : cases) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      CAPTURE(c.why);
      Options options = test::options_for(site());
      options.client_certificates = ClientCertificates::optional;
      options.client_ca = authority.pem();
      options.client_crl = c.revocation_lists;
      ClientServerPair peers(test::load(options), {.version = version, .certificate = &alice});
      peers.shake_hands();
      CHECK(peers.server_done() == c.accepted);
      if (c.accepted) continue;
      CHECK(words_of(peers.progress) == make_error_code(Error::certificate_refused).message());
      CHECK_FALSE(peers.server.failure().empty());
    }
  }
}

TEST_SUITE_END();

}  // namespace volt::tls::internal
