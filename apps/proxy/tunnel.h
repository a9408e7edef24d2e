// SPDX-License-Identifier: MIT

// Tunnel: an upgraded connection, for example a WebSocket, whose bytes are relayed between client and upstream.
#pragma once

#include <http/client/client_stream.h>
#include <http/web/upgrade.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "apps/proxy/upstreams.h"

namespace proxy {

class Tunnel final : public volt::http::Upgrade {
 public:
  Tunnel(std::string protocol, std::unique_ptr<volt::http::ClientStream> upstream, Upstreams::Lease place,
         std::chrono::milliseconds idle_timeout) noexcept
      : protocol_(std::move(protocol)),
        upstream_(std::move(upstream)),
        place_(std::move(place)),
        idle_timeout_(idle_timeout) {}

  [[nodiscard]] std::string_view protocol() const noexcept override { return protocol_; }
  // Returns when either side has sent its last byte or has failed, or when no bytes were relayed for the idle timeout.
  [[nodiscard]] volt::Task<> run(volt::http::UpgradedStream& client) override;

 private:
  const std::string protocol_;
  const std::unique_ptr<volt::http::ClientStream> upstream_;
  const Upstreams::Lease place_;
  const std::chrono::milliseconds idle_timeout_;
};

}  // namespace proxy
