// SPDX-License-Identifier: MIT

#include "tls/context.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/directory.h"
#include "tests/tls/client_server_pair.h"

namespace volt::tls {
namespace {

using test::TestCertificate;

std::string error_of(const Options& options) {
  const auto context = Context::load(options);
  return context ? std::string("none") : context.error();
}

std::string write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
  return path.string();
}

// Returns `text` without 9 bytes in its middle. Versions of libcrypto differ in which texts they report as damaged.
std::string damaged(std::string text) { return text.erase(text.size() / 2, 9); }

}  // namespace

TEST_SUITE_BEGIN("tls/context");

TEST_CASE("an error of a file names the file and the cause") {
  const volt::test::Directory directory;
  const TestCertificate site({.names = "DNS:site.example"});
  const TestCertificate other({.names = "DNS:other.example"});
  const TestCertificate weak({.names = "DNS:weak.example", .rsa_bits = 1024});
  const auto file = [&](const char* name, const std::string& text) {
    return write_file(directory.path() / name, text);
  };
  const std::string certificate = file("site.pem", site.pem());
  const std::string key = file("site.key", site.key_pem());
  const std::string absent = (directory.path() / "absent").string();
  const std::string empty = file("empty", "");
  const std::string text = file("text", "not PEM\n");
  const std::string folder = directory.path().string();
  const std::string torn = file("torn.pem", damaged(site.pem()));
  const std::string chain_torn = file("chain.pem", site.pem() + damaged(other.pem()));
  const std::string torn_key = file("torn.key", damaged(site.key_pem()));
  const std::string locked_key = file("locked.key", site.encrypted_key_pem());
  const std::string password = file("password", std::string(TestCertificate::kPassphrase) + "\n");
  const std::string wrong_password = file("wrong_password", "guess");
  const std::string long_password = file("long_password", std::string(5000, 'a'));
  const std::string huge = file("huge", std::string(5 * 1024 * 1024, '\n'));
  const std::string weak_certificate = file("weak.pem", weak.pem());
  const std::string weak_key = file("weak.key", weak.key_pem());
  using enum ClientCertificates;
  struct Case {
    Options options;
    std::string error;
  };
  const Case cases[] = {
      {{}, "certificate: no PEM file is set"},
      {{.certificate = certificate}, "key: no PEM file is set"},
      {{.certificate = absent, .key = key}, "certificate " + absent + ": No such file or directory"},
      {{.certificate = folder, .key = key}, "certificate " + folder + ": Is a directory"},
      {{.certificate = empty, .key = key}, "certificate " + empty + ": contains no PEM certificate"},
      {{.certificate = text, .key = key}, "certificate " + text + ": contains no PEM certificate"},
      {{.certificate = key, .key = key}, "certificate " + key + ": contains no PEM certificate"},
      {{.certificate = torn, .key = key}, "certificate " + torn + ": contains a damaged certificate"},
      {{.certificate = chain_torn, .key = key}, "certificate " + chain_torn + ": contains a damaged certificate"},
      {{.certificate = huge, .key = key}, "certificate " + huge + ": is larger than 4 MiB"},
      {{.certificate = certificate, .key = absent}, "key " + absent + ": No such file or directory"},
      {{.certificate = certificate, .key = text}, "key " + text + ": contains no PEM private key"},
      {{.certificate = certificate, .key = certificate}, "key " + certificate + ": contains no PEM private key"},
      {{.certificate = certificate, .key = torn_key}, "key " + torn_key + ": contains a damaged private key"},
      {{.certificate = certificate, .key = locked_key},
       "key " + locked_key + ": is encrypted, but key_password_file is not set"},
      {{.certificate = certificate, .key = locked_key, .key_password_file = wrong_password},
       "key " + locked_key + ": cannot be decrypted with key_password_file " + wrong_password},
      {{.certificate = certificate, .key = locked_key, .key_password_file = long_password},
       "key " + locked_key + ": cannot be decrypted with key_password_file " + long_password},
      {{.certificate = certificate, .key = key, .key_password_file = absent},
       "key_password_file " + absent + ": No such file or directory"},
      {{.certificate = certificate, .key = key, .key_password_file = empty},
       "key_password_file " + empty + ": is empty"},
      {{.certificate = certificate, .key = locked_key, .key_password_file = password}, "none"},
      {{.certificate = certificate, .key = key, .key_password_file = password}, "none"},
      {{.certificate = certificate, .key = weak_key},
       "key " + weak_key + ": is not the key of certificate " + certificate},
      {{.certificate = other.pem(), .key = key}, "key " + key + ": is not the key of certificate given as text"},
      {{.certificate = weak_certificate, .key = weak_key}, "certificate " + weak_certificate + ": ee key too small"},
      {{.certificate = certificate, .key = key, .more_certificates = {{absent, key}}},
       "certificate " + absent + ": No such file or directory"},
      {{.certificate = certificate, .key = key, .client_certificates = required}, "client_ca: no PEM file is set"},
      {{.certificate = certificate, .key = key, .client_certificates = optional, .client_ca = text},
       "client_ca " + text + ": contains no PEM certificate"},
      {{.certificate = certificate,
        .key = key,
        .client_certificates = optional,
        .client_ca = certificate,
        .client_crl = certificate},
       "client_crl " + certificate + ": contains no PEM revocation list"},
      {{.certificate = certificate, .key = key, .client_crl = certificate},
       "client_crl: is set, but client_certificates is none"},
      {{.certificate = certificate, .key = key, .client_ca = certificate},
       "client_ca: is set, but client_certificates is none"},
      {{.certificate = certificate, .key = key}, "none"},
      {{.certificate = site.pem(), .key = site.key_pem()}, "none"},
  };
  for (const Case& c : cases) CHECK(error_of(c.options) == c.error);
}

TEST_CASE("an expired or not yet valid certificate is used with a warning") {
  const TestCertificate expired({.names = "DNS:a.example", .first_day = -9, .last_day = -2});
  const TestCertificate early({.names = "DNS:b.example", .first_day = 2, .last_day = 9});
  const TestCertificate good({.names = "DNS:c.example"});
  const volt::test::Directory directory;
  Options options = test::options_for(good);
  options.more_certificates = {{write_file(directory.path() / "old.pem", expired.pem()), expired.key_pem()},
                               early.pair()};
  options.client_certificates = ClientCertificates::optional;
  options.client_ca = expired.pem();
  const auto context = test::load(options);
  CHECK(context->warnings() == std::vector<std::string>{
                                   "client_ca given as text: has expired",
                                   "certificate " + (directory.path() / "old.pem").string() + ": has expired",
                                   "certificate given as text: is not valid yet",
                               });
}

TEST_CASE("the chain is sent in the order of the file") {
  const TestCertificate root({.common_name = "root", .authority = true});
  const TestCertificate between({.common_name = "between", .issuer = &root, .authority = true});
  const TestCertificate site({.common_name = "site", .names = "DNS:site.example", .issuer = &between});
  test::ClientServerPair peers(test::load({.certificate = site.pem() + between.pem(), .key = site.key_pem()}));
  REQUIRE(peers.shake_hands());
  STACK_OF(X509)* chain = SSL_get_peer_cert_chain(peers.client.ssl());
  REQUIRE(sk_X509_num(chain) == 2);
  CHECK(X509_cmp(sk_X509_value(chain, 0), site.x509()) == 0);
  CHECK(X509_cmp(sk_X509_value(chain, 1), between.x509()) == 0);
}

TEST_CASE("authorities for client certificates are not sent in the server's chain") {
  const TestCertificate root({.common_name = "root", .authority = true});
  const TestCertificate site({.common_name = "site", .names = "DNS:site.example", .issuer = &root});
  test::ClientServerPair peers(test::load({.certificate = site.pem(),
                                           .key = site.key_pem(),
                                           .client_certificates = ClientCertificates::optional,
                                           .client_ca = root.pem()}));
  REQUIRE(peers.shake_hands());
  CHECK(sk_X509_num(SSL_get_peer_cert_chain(peers.client.ssl())) == 1);
}

TEST_CASE("RSA and P-256 keys are supported") {
  for (const int bits : {0, 2048}) {
    const TestCertificate site({.names = "DNS:site.example", .rsa_bits = bits});
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      test::ClientServerPair peers(test::load(test::options_for(site)), {.version = version});
      CHECK(peers.shake_hands());
    }
  }
}

}  // namespace volt::tls
