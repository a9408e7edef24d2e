// SPDX-License-Identifier: MIT

// ClientOptions: the certificate authorities that a client trusts, and its protocol settings.
//
// There is no option to skip verification: the server's certificate is always verified, and must be valid for the
// requested host.
#pragma once

#include <chrono>
#include <string>

#include "tls/options.h"

namespace volt::tls {

struct ClientOptions {
  // Trusted certificate authorities: the path of a PEM file, or PEM text. Empty: those of the system.
  std::string authorities;
  Preset preset = Preset::intermediate;
  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(10);
};

}  // namespace volt::tls
