// SPDX-License-Identifier: MIT

// Owning handles of objects of libssl and libcrypto.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace volt::tls::internal {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};

struct FreeText {  // OPENSSL_free is a macro
  void operator()(unsigned char* text) const noexcept { OPENSSL_free(text); }
};

using BioHandle = std::unique_ptr<BIO, Free<BIO_free>>;
using CertificateHandle = std::unique_ptr<X509, Free<X509_free>>;
using CertificateCheckHandle = std::unique_ptr<X509_STORE_CTX, Free<X509_STORE_CTX_free>>;
using CertificateNamesHandle = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using RevocationListHandle = std::unique_ptr<X509_CRL, Free<X509_CRL_free>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using SslContextHandle = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using SslHandle = std::unique_ptr<SSL, Free<SSL_free>>;

}  // namespace volt::tls::internal
