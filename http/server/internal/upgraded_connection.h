// UpgradedConnection: the connection's bytes, for the protocol that it went on with.
//
// Threads: the connection's task and its children, one in each direction. Lifetime: while that protocol is spoken.
#pragma once

#include <string>

#include "http/server/internal/patience.h"
#include "http/server/internal/wire.h"
#include "http/server/site.h"
#include "http/web/upgrade.h"

namespace volt::http::server {

class UpgradedConnection final : public UpgradedStream {
 public:
  // `received` came behind the request.
  UpgradedConnection(Wire& wire, Site& site, std::string received) noexcept
      : wire_(wire), site_(site), patience_(site.options), received_(std::move(received)) {}

  [[nodiscard]] Task<Result<void>> readable() override;
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override;
  [[nodiscard]] Task<Result<void>> write_all(std::span<const std::byte>& left) override;
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { wire_.set_read_deadline_in(limit); }
  void interrupt_read() noexcept override { wire_.interrupt_read(); }
  [[nodiscard]] bool draining() const noexcept override { return site_.draining(); }

 private:
  Wire& wire_;
  Site& site_;
  Patience patience_;
  std::string received_;
  bool told_of_drain_ = false;
};

}  // namespace volt::http::server
