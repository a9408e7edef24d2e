// ClientContext: a client's loaded configuration. Each connection has a Context of its own made of it, which says whom
// the server must prove to be (RFC 9525):
//
//   tls::Stream<TcpStream&> stream(socket, context->for_host("example.org"));
//
// Threads: immutable; any thread, several at once. Loading reads files: off the workers (runtime/blocking.h).
// Lifetime: shared by the contexts made of it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "tls/client_options.h"
#include "tls/context.h"

namespace volt::tls {

class ClientContext {
 public:
  struct State;  // libssl's, in tls/internal

  // Errors: a sentence that names the file and what is wrong with it.
  [[nodiscard]] static std::expected<std::shared_ptr<const ClientContext>, std::string> load(
      const ClientOptions& options = {});

  explicit ClientContext(std::unique_ptr<State> state) noexcept;
  ~ClientContext();
  ClientContext(const ClientContext&) = delete;
  ClientContext& operator=(const ClientContext&) = delete;

  // A name, which SNI tells the server, or an IP address without brackets, which it does not (RFC 6066 section 3).
  [[nodiscard]] std::shared_ptr<const Context> for_host(const std::string& host) const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace volt::tls
