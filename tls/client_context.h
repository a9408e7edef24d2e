// SPDX-License-Identifier: MIT

// ClientContext: the loaded TLS configuration of a client. Each connection uses its own Context, which holds the
// identity that the server's certificate must prove (RFC 9525):
//
//   tls::Stream stream(socket, context->for_host("example.org"));
//
// Threads: immutable, so safe for concurrent use. load() blocks on files, so call it off the workers
// (runtime/blocking.h). Lifetime: shared by the contexts made from it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "tls/client_options.h"
#include "tls/context.h"

namespace volt::tls {

class ClientContext {
 public:
  struct State;  // objects of libssl; defined in tls/internal

  // Loads the certificate authorities. Error: a sentence that names the file and the cause.
  [[nodiscard]] static std::expected<std::shared_ptr<const ClientContext>, std::string> load(
      const ClientOptions& options = {});

  explicit ClientContext(std::unique_ptr<State> state) noexcept;
  ~ClientContext();
  ClientContext(const ClientContext&) = delete;
  ClientContext& operator=(const ClientContext&) = delete;

  // Returns the context for connections to `host`: a host name, which is sent as SNI, or an IP address without
  // brackets, which is not sent (RFC 6066 section 3).
  [[nodiscard]] std::shared_ptr<const Context> for_host(const std::string& host) const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace volt::tls
