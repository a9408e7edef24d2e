// SPDX-License-Identifier: MIT

#include "apps/proxy/tunnel.h"

#include <runtime/concurrent.h>
#include <runtime/result.h>
#include <runtime/stream.h>

#include <array>
#include <cstddef>
#include <span>

namespace proxy {
namespace {

using volt::Result;
using volt::Task;
using volt::http::UpgradedStream;

constexpr std::size_t kCopyBytes = 16 * 1024;

// Copies the client's bytes to the upstream. A drain interrupts the wait; the loop then waits again, because only the
// upstream can end the protocol in an orderly way.
Task<> pump_up(UpgradedStream& client, volt::Stream& upstream) {
  std::array<std::byte, kCopyBytes> buffer;
  for (;;) {
    const Result<void> ready = co_await client.readable();
    if (!ready && ready.error() != std::errc::interrupted) co_return;
    if (!co_await client.await_memory()) co_return;
    const Result<std::size_t> count = client.try_read(buffer);
    if (volt::would_block(count)) continue;
    if (!count || *count == 0) co_return;
    if (!co_await upstream.write_all(std::span(buffer).first(*count))) co_return;
  }
}

Task<> pump_down(volt::Stream& client, volt::Stream& upstream) {
  std::array<std::byte, kCopyBytes> buffer;
  for (;;) {
    const Result<std::size_t> count = co_await upstream.read(buffer);
    if (!count || *count == 0) co_return;
    if (!co_await client.write_all(std::span(buffer).first(*count))) co_return;
  }
}

}  // namespace

Task<> Tunnel::run(UpgradedStream& client) {
  co_await volt::race([&] { return pump_up(client, *upstream_); }, [&] { return pump_down(client, *upstream_); });
}

}  // namespace proxy
