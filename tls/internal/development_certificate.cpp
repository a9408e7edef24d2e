// SPDX-License-Identifier: MIT

#include "tls/development_certificate.h"

#include <openssl/pem.h>
#include <openssl/rand.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

#include "runtime/base/check.h"
#include "tls/internal/handles.h"

namespace volt::tls {
namespace internal {
namespace {

constexpr std::time_t kDay = 24 * 60 * 60;
constexpr std::time_t kValid = 30 * kDay;

void set_serial_number(X509* certificate) {
  std::int64_t number = 0;
  VOLT_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) == 1);
  VOLT_CHECK(ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), number & INT64_MAX) == 1);
}

void set_name(X509* certificate) {
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>("Volt development");
  VOLT_CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1);
  VOLT_CHECK(X509_set_issuer_name(certificate, name) == 1);
}

void add_extension(X509* certificate, int kind, const char* value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
  VOLT_CHECK(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

CertificateHandle make_certificate(EVP_PKEY* key) {
  CertificateHandle certificate(X509_new());
  VOLT_CHECK(certificate != nullptr);
  X509_set_version(certificate.get(), X509_VERSION_3);
  set_serial_number(certificate.get());
  set_name(certificate.get());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay);  // tolerates clients with a slow clock
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kValid);
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate.get(), NID_ext_key_usage, "serverAuth");
  add_extension(certificate.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
  VOLT_CHECK(X509_set_pubkey(certificate.get(), key) == 1);
  VOLT_CHECK(X509_sign(certificate.get(), key, EVP_sha256()) != 0);
  return certificate;
}

std::string text_of(BIO* out) {
  char* text = nullptr;
  const long bytes = BIO_get_mem_data(out, &text);
  return {text, static_cast<std::size_t>(bytes)};
}

}  // namespace
}  // namespace internal

CertificateAndKey development_certificate() {
  const internal::KeyHandle key(EVP_EC_gen("P-256"));
  VOLT_CHECK(key != nullptr);
  const internal::CertificateHandle certificate = internal::make_certificate(key.get());
  const internal::BioHandle certificate_out(BIO_new(BIO_s_mem()));
  const internal::BioHandle key_out(BIO_new(BIO_s_mem()));
  VOLT_CHECK(PEM_write_bio_X509(certificate_out.get(), certificate.get()) == 1);
  VOLT_CHECK(PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {internal::text_of(certificate_out.get()), internal::text_of(key_out.get())};
}

}  // namespace volt::tls
