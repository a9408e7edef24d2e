// SPDX-License-Identifier: MIT

#include "apps/proxy/tunnel.h"

#include <runtime/concurrent.h>
#include <runtime/result.h>

#include <array>
#include <cstddef>
#include <span>

namespace proxy {
namespace {

using volt::Result;
using volt::Task;
using volt::http::ClientStream;
using volt::http::UpgradedStream;

constexpr std::size_t kCopyBytes = 16 * 1024;

// Copies the client's bytes to the upstream. A drain interrupts the wait; the loop then waits again, because only the
// upstream can end the protocol in an orderly way.
Task<> pump_up(UpgradedStream& client, ClientStream& upstream) {
  std::array<char, kCopyBytes> buffer;
  for (;;) {
    const Result<void> ready = co_await client.readable();
    if (!ready && ready.error() != std::errc::interrupted) co_return;
    const Result<std::size_t> count = client.try_read(std::as_writable_bytes(std::span(buffer)));
    if (volt::would_block(count)) continue;
    if (!count || *count == 0) co_return;
    auto writing = upstream.write_all(std::as_bytes(std::span(buffer).first(*count)));
    const Result<void> written = co_await std::move(writing);
    if (!written) co_return;
  }
}

Task<> pump_down(UpgradedStream& client, ClientStream& upstream) {
  std::array<char, kCopyBytes> buffer;
  for (;;) {
    auto reading = upstream.read(std::as_writable_bytes(std::span(buffer)));
    const Result<std::size_t> count = co_await std::move(reading);
    if (!count || *count == 0) co_return;
    std::span<const std::byte> left = std::as_bytes(std::span(buffer).first(*count));
    auto writing = client.write_all(left);
    const Result<void> written = co_await std::move(writing);
    if (!written) co_return;
  }
}

}  // namespace

Task<> Tunnel::run(UpgradedStream& client) {
  auto racing = volt::race([&] { return pump_up(client, *upstream_); }, [&] { return pump_down(client, *upstream_); });
  co_await std::move(racing);
}

}  // namespace proxy
