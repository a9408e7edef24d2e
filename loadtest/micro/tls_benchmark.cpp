// SPDX-License-Identifier: MIT

// tls/internal: the server's cost of a handshake, and of a request on an established connection. The client, which is
// OpenSSL alone, is not measured.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "tests/tls/client_server_pair.h"
#include "tls/development_certificate.h"

namespace {

using namespace volt::tls;
using Clock = std::chrono::steady_clock;

const std::shared_ptr<const Context>& context() {
  static const std::shared_ptr<const Context> loaded = [] {
    const CertificateAndKey made = development_certificate();
    return test::load({.certificate = made.certificate, .key = made.key});
  }();
  return loaded;
}

// The server's time of one handshake, from creating its Session to its last bytes.
double shake_hands(test::ClientServerPair& peers) {
  std::chrono::duration<double> served{};
  while (!peers.server_done() && peers.progress) {
    peers.client.handshake();
    peers.carry();
    const auto begin = Clock::now();
    peers.progress = peers.server.handshake(peers.transport);
    served += Clock::now() - begin;
    peers.carry();
  }
  peers.client.handshake();
  static_cast<void>(peers.client.read());
  return served.count();
}

void handshake(benchmark::State& state, int version, bool resumed) {
  test::SessionHandle session;
  for (auto _ : state) {
    test::ClientServerPair peers(context(), {.version = version, .session = resumed ? session.get() : nullptr});
    state.SetIterationTime(shake_hands(peers));
    if (!peers.client.done()) return state.SkipWithError("the handshake failed");
    session = peers.client.session();
  }
}
BENCHMARK_CAPTURE(handshake, tls13_full, TLS1_3_VERSION, false)->UseManualTime();
BENCHMARK_CAPTURE(handshake, tls13_resumed, TLS1_3_VERSION, true)->UseManualTime();
BENCHMARK_CAPTURE(handshake, tls12_full, TLS1_2_VERSION, false)->UseManualTime();
BENCHMARK_CAPTURE(handshake, tls12_resumed, TLS1_2_VERSION, true)->UseManualTime();

void request_and_response(benchmark::State& state) {
  test::ClientServerPair peers(context());
  if (!peers.shake_hands()) return state.SkipWithError("the handshake failed");
  const std::string request(90, 'q');
  const std::string response(static_cast<std::size_t>(state.range(0)), 'r');
  std::byte into[4096];
  for (auto _ : state) {
    peers.client.write(request);
    peers.carry();
    const auto begin = Clock::now();
    const auto got = peers.server.read(peers.transport, into);
    const auto sent = peers.server_write(response);
    const std::chrono::duration<double> served = Clock::now() - begin;
    if (got != request.size() || sent != response.size()) return state.SkipWithError("not served");
    state.SetIterationTime(served.count());
    peers.carry();
    benchmark::DoNotOptimize(peers.client.read());
  }
}
BENCHMARK(request_and_response)->Arg(130)->Arg(1024)->Arg(16 * 1024)->UseManualTime();

}  // namespace
