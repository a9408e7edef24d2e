// SPDX-License-Identifier: MIT

// Context: a loaded TLS configuration. Certificates, keys and authorities are read once, checked, and never change.
//
// Threads: immutable, so safe for concurrent use. load() blocks on files, so call it off the workers
// (runtime/blocking.h).
// Lifetime: shared by the connections that began with it, so that a reload closes none of them.
// Errors: a sentence for the operator, which names the file and the cause.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "tls/options.h"

namespace volt::tls {

namespace internal {
class TicketKeys;
}

class Context {
 public:
  struct State;  // objects of libssl; defined in tls/internal

  // Loads a server's context. `ticket_keys` are the keys of the context that the new one replaces. Null makes new keys,
  // which cannot decrypt earlier tickets.
  [[nodiscard]] static std::expected<std::shared_ptr<const Context>, std::string> load(
      const Options& options, std::shared_ptr<internal::TicketKeys> ticket_keys = nullptr);

  explicit Context(std::unique_ptr<State> state) noexcept;
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Problems that do not prevent a start, such as an expired certificate.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;
  [[nodiscard]] std::chrono::milliseconds handshake_timeout() const noexcept;

  // Whether ClientContext::for_host() made this context.
  [[nodiscard]] bool is_client() const noexcept;

  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace volt::tls
