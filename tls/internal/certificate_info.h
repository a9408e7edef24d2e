// SPDX-License-Identifier: MIT

// Extracts the fields of a certificate.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tls/handshake_info.h"
#include "tls/internal/handles.h"

namespace volt::tls::internal {

// Returns the DNS names in the alternative names. Ignores the common name, as RFC 9525 section 2 requires.
[[nodiscard]] std::vector<std::string> dns_names(const X509* certificate);

// Returns "has expired" or "is not valid yet"; nothing if the certificate, or the list, is currently valid.
[[nodiscard]] std::optional<std::string> out_of_date(const X509* certificate);
[[nodiscard]] std::optional<std::string> out_of_date(const X509_CRL* list);

[[nodiscard]] ClientCertificate describe(const X509* certificate);

}  // namespace volt::tls::internal
