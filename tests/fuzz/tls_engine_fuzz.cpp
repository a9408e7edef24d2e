// SPDX-License-Identifier: MIT

// libFuzzer: for anything a client sends, in any pieces, the engine fails or requests more bytes, repeats its result
// when called again, and sends only a bounded response. The bytes are given to a server that waits for its first byte,
// and to a server in the middle of a session, after that session's client.
//
// The first byte selects the version and the size of the pieces. The second selects the place in the conversation where
// the rest is inserted, and how: unchanged, or as changes to the honest client's bytes, each with two bytes of position
// and one of value.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/check.h"
#include "tests/tls/client_server_pair.h"
#include "tls/development_certificate.h"

namespace volt::tls {
namespace {

constexpr std::size_t kAnswerBytesMax = 64 * 1024;

const std::shared_ptr<const Context>& context() {
  static const std::shared_ptr<const Context> loaded = [] {
    const CertificateAndKey made = development_certificate();
    return test::load({.certificate = made.certificate,
                       .key = made.key,
                       .client_certificates = ClientCertificates::optional,
                       .client_ca = made.certificate});
  }();
  return loaded;
}

bool over(const auto& result) { return !result && result.error() != std::errc::operation_would_block; }

void shake_hands(test::ClientServerPair& peers) {
  for (int round = 0; round != 4 && peers.progress && !peers.server_done(); ++round)
    peers.progress = peers.server.handshake(peers.transport);
  if (peers.progress) return;
  VOLT_CHECK(peers.server.handshake(peers.transport).error() == peers.progress.error());
}

void read_all(test::ClientServerPair& peers) {
  for (;;) {
    const auto text = peers.server_read(1000);
    if (text && !text->empty()) continue;
    if (!over(text)) return;
    VOLT_CHECK(peers.server_read(1000).error() == text.error());
    VOLT_CHECK(peers.server_write("x").error() == text.error());
    return;
  }
}

std::string altered(std::string honest, std::string_view changes) {
  const auto number = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(changes[at])); };
  for (; changes.size() >= 3 && !honest.empty(); changes.remove_prefix(3)) {
    char& byte = honest[(number(0) << 8 | number(1)) % honest.size()];
    byte = static_cast<char>(byte ^ changes[2]);
  }
  return honest;
}

struct Script {
  int version;
  std::size_t piece_bytes;
  std::size_t honest_flights;
  bool alters;
};

void converse(std::string_view bytes, const Script& script) {
  test::ClientServerPair peers(context(), {.version = script.version});
  for (std::size_t flight = 0; flight != script.honest_flights; ++flight) {
    peers.client.handshake();
    peers.carry();
    if (!peers.server_done()) peers.progress = peers.server.handshake(peers.transport);
    peers.carry();
  }
  peers.client.handshake();
  if (peers.client.done()) peers.client.write("GET / HTTP/1.1\r\n\r\n");
  peers.transport.incoming += script.alters ? altered(peers.client.take_output(), bytes) : std::string(bytes);
  peers.transport.read_bytes_max = script.piece_bytes;
  peers.transport.ended = true;
  if (!peers.server_done()) shake_hands(peers);
  if (peers.server_done()) read_all(peers);
  peers.server.close_notify(peers.transport);
  VOLT_CHECK(peers.transport.outgoing.size() <= kAnswerBytesMax);
}

}  // namespace
}  // namespace volt::tls

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  volt::tls::converse(bytes, {.version = data[0] % 2 == 0 ? TLS1_2_VERSION : TLS1_3_VERSION,
                              .piece_bytes = data[0] < 0x80 ? std::size_t{1} + data[0] / 2 : SIZE_MAX,
                              .honest_flights = data[1] % 4U,
                              .alters = data[1] >= 0x80});
  return 0;
}
