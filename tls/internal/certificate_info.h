// What is written in a certificate.
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

// The DNS names that it is for. Not its common name: RFC 9525 section 2 has none of it.
[[nodiscard]] std::vector<std::string> dns_names(const X509* certificate);

// "has expired", "is not valid yet"; nothing: it is of today.
[[nodiscard]] std::optional<std::string> out_of_date(const X509* certificate);

[[nodiscard]] ClientCertificate describe(const X509* certificate);

}  // namespace volt::tls::internal
