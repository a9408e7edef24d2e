// SPDX-License-Identifier: MIT

// The objects of libssl in a Context: one SSL_CTX for each certificate, with otherwise equal settings.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tls/context.h"
#include "tls/internal/handles.h"
#include "tls/internal/host_names.h"
#include "tls/internal/ticket_keys.h"

namespace volt::tls {

struct Context::State {
  std::vector<internal::SslContextHandle> certificates;  // the first is the default; each holds a pointer to this State
  internal::HostNames hosts;                             // maps host names to indices in `certificates`
  std::string server;                                    // host that a client connects to; empty in a server's context
  std::array<unsigned char, 32>
      client_policy{};  // digest of the policy for client certificates; a change of it invalidates tickets
  std::shared_ptr<internal::TicketKeys> ticket_keys;
  std::chrono::milliseconds handshake_timeout;
  std::vector<std::string> warnings;
};

}  // namespace volt::tls
