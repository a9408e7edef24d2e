// A certificate to develop with: self-signed, for localhost, 127.0.0.1 and ::1. Browsers warn of it, as they should.
//
// Threads: any.
#pragma once

#include "tls/options.h"

namespace volt::tls {

// PEM text, of a P-256 key made just now; good for 30 days. What Options::certificate and Options::key take.
[[nodiscard]] CertificateAndKey development_certificate();

}  // namespace volt::tls
