// What libssl keeps of a Context: one SSL_CTX for each certificate, alike in all else.
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
  std::vector<internal::SslContextHandle> certificates;  // the first is the default; each refers to this State
  internal::HostNames hosts;                             // indices of `certificates`
  std::string server;                                    // whom a client asks for; empty: this is the server's
  std::array<unsigned char, 32> client_policy{};         // digest of who is let in: no ticket outlives a change of it
  std::shared_ptr<internal::TicketKeys> ticket_keys;
  std::chrono::milliseconds handshake_timeout;
  std::vector<std::string> warnings;
};

}  // namespace volt::tls
