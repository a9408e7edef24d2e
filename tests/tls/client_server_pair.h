// SPDX-License-Identifier: MIT

// ClientServerPair: an OpenSSL client and a Session, connected by an in-memory stream that can be slow, limited or
// cut off.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/stream.h"
#include "tests/tls/openssl_client.h"
#include "tls/internal/session.h"

namespace volt::tls::test {

// A stream in memory, in place of a socket. A Session only transfers, so the waits are never called.
class MemoryStream final : public volt::Stream {
 public:
  std::string incoming;                   // bytes from the peer that were not read yet
  std::string outgoing;                   // bytes to the peer
  std::size_t read_bytes_max = SIZE_MAX;  // maximum number of bytes of one read
  std::size_t room = SIZE_MAX;            // number of outgoing bytes that are still accepted
  bool ended = false;                     // whether the peer has closed its sending side
  bool broken = false;                    // whether writes fail with broken_pipe
  std::size_t bytes_read = 0;
  std::size_t writes = 0;

  Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    if (incoming.empty() && ended) return 0;
    if (incoming.empty()) return error(std::errc::operation_would_block);
    const std::size_t count = std::min({into.size(), read_bytes_max, incoming.size()});
    std::copy_n(incoming.data(), count, reinterpret_cast<char*>(into.data()));
    incoming.erase(0, count);
    bytes_read += count;
    return count;
  }
  Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    if (broken) return error(std::errc::broken_pipe);
    const std::size_t count = std::min(from.size(), room);
    if (count == 0) return error(std::errc::operation_would_block);
    outgoing.append(reinterpret_cast<const char*>(from.data()), count);
    ++writes;
    room -= room == SIZE_MAX ? 0 : count;
    return count;
  }
  net::ReadyWait readable() noexcept override { std::abort(); }
  net::ReadyWait writable() noexcept override { std::abort(); }
  void set_read_deadline_in(std::chrono::nanoseconds) noexcept override { std::abort(); }
  void set_write_deadline_in(std::chrono::nanoseconds) noexcept override { std::abort(); }
  void expect_more() noexcept override { std::abort(); }
  void interrupt_read() noexcept override { std::abort(); }
  void shutdown_write() noexcept override { std::abort(); }
};

struct ClientServerPair {
  explicit ClientServerPair(std::shared_ptr<const Context> context, const ClientOptions& options = {})
      : client(options), server(std::move(context)) {}

  OpensslClient client;
  internal::Session server;
  MemoryStream transport;
  Result<internal::Progress> progress = internal::Progress::wants_read;  // progress of the server's handshake

  void carry() {
    client.feed(std::exchange(transport.outgoing, {}));
    transport.incoming += client.take_output();
  }

  // Runs the handshake until both sides are done, one has failed, or there is no progress. Returns whether both are
  // done.
  bool shake_hands() {
    const bool done = shake_hands_only();
    if (done && transport.incoming.empty() && !server.has_unread()) static_cast<void>(server_read(1));
    carry();
    static_cast<void>(client.read());
    return done;
  }
  // Runs the handshake like shake_hands(), but leaves the tickets that follow it to the next operation of the server.
  bool shake_hands_only() {
    for (int round = 0; round != 20; ++round) {
      client.handshake();
      carry();
      if (progress && *progress != internal::Progress::done) progress = server.handshake(transport);
      carry();
    }
    return server_done() && client.done();
  }
  [[nodiscard]] bool server_done() const { return progress && *progress == internal::Progress::done; }

  // Returns the data that one call of the server's read() gives.
  Result<std::string> server_read(std::size_t bytes_max = 64 * 1024) {
    std::string text(bytes_max, '\0');
    const auto count = server.read(transport, std::as_writable_bytes(std::span(text)));
    if (!count) return std::unexpected(count.error());
    text.resize(*count);
    return text;
  }
  Result<std::size_t> server_write(std::string_view text) {
    return server.write(transport, std::as_bytes(std::span(text)));
  }
};

[[nodiscard]] inline std::shared_ptr<const Context> load(const Options& options) {
  auto context = Context::load(options);
  VOLT_CHECK(context.has_value());
  return *context;
}

// Returns default options with the given certificate.
[[nodiscard]] inline Options options_for(const TestCertificate& certificate) {
  return {.certificate = certificate.pem(), .key = certificate.key_pem()};
}

}  // namespace volt::tls::test
