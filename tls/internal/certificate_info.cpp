// SPDX-License-Identifier: MIT

#include "tls/internal/certificate_info.h"

#include <arpa/inet.h>
#include <openssl/asn1.h>

#include <cstddef>
#include <ctime>
#include <string_view>

#include "tls/internal/error_queue.h"

namespace volt::tls::internal {
namespace {

std::string text_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

// Returns `kind` followed by the name. Returns an empty text for a name with a NUL byte, which imitates the name before
// the NUL.
std::string named(std::string_view kind, const ASN1_STRING* string) {
  const std::string text = text_of(string);
  return text.find('\0') == std::string::npos ? std::string(kind) + text : std::string();
}

std::string named_address(const ASN1_STRING* address) {
  const std::string bytes = text_of(address);
  char text[INET6_ADDRSTRLEN];
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && bytes.size() != 16) return {};
  return std::string("IP:") + ::inet_ntop(family, bytes.data(), text, sizeof text);
}

// Returns an alternative name with its kind; empty for a kind that ClientCertificate does not contain.
std::string name_text(const GENERAL_NAME* name) {
  switch (name->type) {
    case GEN_DNS:
      return named("DNS:", name->d.dNSName);
    case GEN_EMAIL:
      return named("email:", name->d.rfc822Name);
    case GEN_URI:
      return named("URI:", name->d.uniformResourceIdentifier);
    case GEN_IPADD:
      return named_address(name->d.iPAddress);
    default:
      return {};
  }
}

std::vector<std::string> alternative_names(const X509* certificate) {
  const CertificateNamesHandle all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  clear_errors();
  std::vector<std::string> names;
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    std::string name = name_text(sk_GENERAL_NAME_value(all.get(), i));
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

std::string subject_of(const X509* certificate) {
  const BioHandle out(BIO_new(BIO_s_mem()));
  if (!out) return {};
  X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const long bytes = BIO_get_mem_data(out.get(), &text);
  return bytes <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(bytes));
}

std::vector<std::byte> der_of(const X509* certificate) {
  const int bytes = i2d_X509(certificate, nullptr);
  if (bytes <= 0) return {};
  std::vector<std::byte> der(static_cast<std::size_t>(bytes));
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  i2d_X509(certificate, &out);
  return der;
}

std::string sha256_of(const X509* certificate) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int bytes = 0;
  if (X509_digest(certificate, EVP_sha256(), digest, &bytes) != 1) return {};
  std::string text;
  for (const unsigned char byte : std::span(digest, bytes)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

std::vector<std::string> dns_names(const X509* certificate) {
  constexpr std::string_view kKind = "DNS:";
  std::vector<std::string> names;
  for (const std::string& name : alternative_names(certificate)) {
    if (name.starts_with(kKind)) names.push_back(name.substr(kKind.size()));
  }
  return names;
}

std::optional<std::string> out_of_date(const X509* certificate) {
  std::time_t now = std::time(nullptr);
  if (X509_cmp_time(X509_get0_notAfter(certificate), &now) < 0) return "has expired";
  if (X509_cmp_time(X509_get0_notBefore(certificate), &now) > 0) return "is not valid yet";
  return std::nullopt;
}

std::optional<std::string> out_of_date(const X509_CRL* list) {
  std::time_t now = std::time(nullptr);
  const ASN1_TIME* const next = X509_CRL_get0_nextUpdate(list);  // optional
  if (next != nullptr && X509_cmp_time(next, &now) < 0) return "has expired";
  if (X509_cmp_time(X509_CRL_get0_lastUpdate(list), &now) > 0) return "is not valid yet";
  return std::nullopt;
}

ClientCertificate describe(const X509* certificate) {
  return {.subject = subject_of(certificate),
          .names = alternative_names(certificate),
          .sha256 = sha256_of(certificate),
          .der = der_of(certificate)};
}

}  // namespace volt::tls::internal
