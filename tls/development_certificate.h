// SPDX-License-Identifier: MIT

// A self-signed certificate for development, valid for localhost, 127.0.0.1 and ::1. Browsers warn about it.
//
// Threads: any.
#pragma once

#include "tls/options.h"

namespace volt::tls {

// Generates a P-256 key and a certificate that is valid for 30 days. Returns both as PEM text for Options::certificate
// and Options::key.
[[nodiscard]] CertificateAndKey development_certificate();

}  // namespace volt::tls
