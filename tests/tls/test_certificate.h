// SPDX-License-Identifier: MIT

// TestCertificate: generates certificates with any names, dates, keys and issuers.
#pragma once

#include <openssl/pem.h>

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/base/check.h"
#include "tls/internal/handles.h"
#include "tls/options.h"

namespace volt::tls::test {

class TestCertificate;

struct Subject {
  std::string common_name = "test";
  std::string names;                        // alternative names: "DNS:a.example,IP:192.0.2.1"; empty: none
  const TestCertificate* issuer = nullptr;  // null: self-signed
  bool authority = false;
  int first_day = -1;  // first day of validity, relative to today
  int last_day = 30;   // last day of validity, relative to today
  int rsa_bits = 0;    // size of an RSA key in bits; 0: a P-256 key
};

class TestCertificate {
 public:
  explicit TestCertificate(const Subject& subject)
      : key_(subject.rsa_bits == 0 ? EVP_EC_gen("P-256") : EVP_RSA_gen(static_cast<unsigned>(subject.rsa_bits))),
        certificate_(X509_new()) {
    X509* const made = certificate_.get();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set_int64(X509_get_serialNumber(made), next_serial());
    const auto* name = reinterpret_cast<const unsigned char*>(subject.common_name.c_str());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8, name, -1, -1, 0);
    const TestCertificate& issuer = subject.issuer == nullptr ? *this : *subject.issuer;
    X509_set_issuer_name(made, X509_get_subject_name(issuer.x509()));
    X509_time_adj_ex(X509_getm_notBefore(made), subject.first_day, 0, nullptr);
    X509_time_adj_ex(X509_getm_notAfter(made), subject.last_day, 0, nullptr);
    if (!subject.names.empty()) add(NID_subject_alt_name, subject.names);
    add(NID_basic_constraints, subject.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
    X509_set_pubkey(made, key());
    VOLT_CHECK(X509_sign(made, issuer.key(), EVP_sha256()) != 0);
  }

  [[nodiscard]] X509* x509() const { return certificate_.get(); }
  [[nodiscard]] EVP_PKEY* key() const { return key_.get(); }

  [[nodiscard]] std::string pem() const {
    return written([&](BIO* out) { return PEM_write_bio_X509(out, x509()); });
  }
  [[nodiscard]] std::string key_pem() const {
    return written(
        [&](BIO* out) { return PEM_write_bio_PrivateKey(out, key(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
  static constexpr std::string_view kPassphrase = "secret";
  [[nodiscard]] std::string encrypted_key_pem() const {
    return written([&](BIO* out) {
      return PEM_write_bio_PKCS8PrivateKey(out, key(), EVP_aes_128_cbc(), kPassphrase.data(),
                                           static_cast<int>(kPassphrase.size()), nullptr, nullptr);
    });
  }
  // Returns a revocation list of this authority.
  [[nodiscard]] std::string revocation_list(const std::vector<const TestCertificate*>& revoked,
                                            int last_day = 30) const {
    const internal::RevocationListHandle list(X509_CRL_new());
    X509_CRL_set_version(list.get(), X509_CRL_VERSION_2);
    X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(x509()));
    ASN1_TIME* const time = X509_time_adj_ex(nullptr, -9, 0, nullptr);
    X509_CRL_set1_lastUpdate(list.get(), time);
    for (const TestCertificate* certificate : revoked) {
      X509_REVOKED* const entry = X509_REVOKED_new();
      X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(certificate->x509()));
      X509_REVOKED_set_revocationDate(entry, time);
      X509_CRL_add0_revoked(list.get(), entry);
    }
    X509_time_adj_ex(time, last_day, 0, nullptr);
    X509_CRL_set1_nextUpdate(list.get(), time);
    ASN1_TIME_free(time);
    VOLT_CHECK(X509_CRL_sign(list.get(), key(), EVP_sha256()) != 0);
    return written([&](BIO* out) { return PEM_write_bio_X509_CRL(out, list.get()); });
  }
  [[nodiscard]] CertificateAndKey pair() const { return {pem(), key_pem()}; }

 private:
  static long next_serial() {
    static long serial = 0;
    return ++serial;
  }

  void add(int kind, const std::string& value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    VOLT_CHECK(extension != nullptr && X509_add_ext(x509(), extension, -1) == 1);
    X509_EXTENSION_free(extension);
  }

  template <class Write>
  static std::string written(Write write) {
    const internal::BioHandle out(BIO_new(BIO_s_mem()));
    VOLT_CHECK(write(out.get()) == 1);
    char* text = nullptr;
    const long bytes = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(bytes)};
  }

  internal::KeyHandle key_;
  internal::CertificateHandle certificate_;
};

}  // namespace volt::tls::test
