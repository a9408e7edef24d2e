// SPDX-License-Identifier: MIT

#include "apps/proxy/tunnel.h"

#include <runtime/concurrent.h>
#include <runtime/per_worker.h>
#include <runtime/result.h>
#include <runtime/stream.h>
#include <runtime/time.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>

namespace proxy {
namespace {

using volt::Result;
using volt::Task;
using volt::http::UpgradedStream;

// A buffer exists only while bytes are relayed: most tunnels are silent most of the time.
constexpr std::size_t kCopyBytes = 16 * 1024;
using Buffer = std::unique_ptr<std::byte[]>;
Buffer new_buffer() { return std::make_unique_for_overwrite<std::byte[]>(kCopyBytes); }

// The time at which bytes were last relayed. Both directions note it, each in a task of its own.
class LastRelay {
 public:
  void note() noexcept { at_.store(volt::coarse_now(), std::memory_order_relaxed); }  // relaxed: only a time
  [[nodiscard]] std::chrono::nanoseconds at() const noexcept {
    return at_.load(std::memory_order_relaxed);  // relaxed: as in note()
  }

 private:
  std::atomic<std::chrono::nanoseconds> at_{volt::coarse_now()};
};

// Copies the client's bytes to the upstream. A drain interrupts the wait; the loop then waits again, because only the
// upstream can end the protocol in an orderly way.
Task<> pump_up(UpgradedStream& client, volt::Stream& upstream, LastRelay& last_relay) {
  for (;;) {
    const Result<void> ready = co_await client.readable();
    if (!ready && ready.error() != std::errc::interrupted) co_return;
    if (!co_await client.await_memory()) co_return;
    const Buffer buffer = new_buffer();
    const Result<std::size_t> count = client.try_read({buffer.get(), kCopyBytes});
    if (volt::would_block(count)) continue;
    if (!count || *count == 0) co_return;
    if (!co_await upstream.write_all({buffer.get(), *count})) co_return;
    last_relay.note();
  }
}

Task<> pump_down(volt::Stream& client, volt::Stream& upstream, LastRelay& last_relay) {
  for (;;) {
    const Result<void> ready = co_await upstream.readable();
    if (!ready) co_return;
    const Buffer buffer = new_buffer();
    const Result<std::size_t> count = upstream.try_read({buffer.get(), kCopyBytes});
    if (volt::would_block(count)) continue;
    if (!count || *count == 0) co_return;
    if (!co_await client.write_all({buffer.get(), *count})) co_return;
    last_relay.note();
  }
}

// Returns when no bytes have been relayed for `limit`: both sides are silent, or one does not read.
Task<> wait_until_idle(const LastRelay& last_relay, std::chrono::nanoseconds limit) {
  for (std::chrono::nanoseconds left = limit; left.count() > 0; left = last_relay.at() + limit - volt::coarse_now()) {
    co_await volt::sleep_for(left);
  }
}

}  // namespace

Task<> Tunnel::run(UpgradedStream& client) {
  LastRelay last_relay;
  co_await volt::race([&] { return pump_up(client, *upstream_, last_relay); },
                      [&] { return pump_down(client, *upstream_, last_relay); },
                      [&] { return wait_until_idle(last_relay, idle_timeout_); });
}

}  // namespace proxy
