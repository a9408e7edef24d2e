// ClientOptions: whom a client trusts, and how it speaks.
//
// Not options: a server's certificate is always verified, and must be for the host that was asked for.
#pragma once

#include <chrono>
#include <string>

#include "tls/options.h"

namespace volt::tls {

struct ClientOptions {
  std::string authorities;  // PEM, a file or the text itself: whom to trust instead of whom the machine trusts
  Preset preset = Preset::intermediate;
  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(10);
};

}  // namespace volt::tls
