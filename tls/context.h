// Context: a loaded configuration. Certificates, keys and authorities are read once, checked, and never change.
//
// Threads: immutable; any thread, several at once. Loading reads files: off the workers (runtime/blocking.h).
// Lifetime: shared by the connections that began with it, so that a reload drops none of them.
// Errors: a sentence for the operator, which names the file and what is wrong with it.
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
  struct State;  // libssl's, in tls/internal

  // `ticket_keys` are those of the context that this one replaces; null: new ones, under which no earlier ticket opens.
  [[nodiscard]] static std::expected<std::shared_ptr<const Context>, std::string> load(
      const Options& options, std::shared_ptr<internal::TicketKeys> ticket_keys = nullptr);

  explicit Context(std::unique_ptr<State> state) noexcept;
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // What does not keep a server from starting, but somebody should know: a certificate has expired.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;
  [[nodiscard]] std::chrono::milliseconds handshake_timeout() const noexcept;

  // Of a client (tls/client_context.h).
  [[nodiscard]] bool is_client() const noexcept;

  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace volt::tls
