// Admission: a connection's place: among those of its listener, of the server, on its worker, and of its client. It is
// given back when this goes.
//
// Threads: moves with the connection; begun and ended on any worker, or outside. Lifetime: keeps site and entrance alive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "http/server/internal/entrance.h"
#include "http/server/internal/wire.h"
#include "http/server/site.h"

namespace volt::http::server {

class Admission {
 public:
  // For a connection that both gates have let in. `preferred` is the worker that accepted it.
  Admission(std::shared_ptr<Site> site, std::shared_ptr<Entrance> entrance, std::uint32_t preferred) noexcept
      : site_(std::move(site)), entrance_(std::move(entrance)), home_(site_->placement.enter(preferred)) {}
  Admission(Admission&&) noexcept = default;
  Admission& operator=(Admission&&) = delete;
  ~Admission();

  // Counts the connection for its client, once it is known who that is. False: that one has as many as it may. Throws
  // std::bad_alloc.
  [[nodiscard]] bool admit(const Wire& wire);

  [[nodiscard]] Site& site() const noexcept { return *site_; }
  [[nodiscard]] const Entrance& entrance() const noexcept { return *entrance_; }
  // The worker where the connection is to live.
  [[nodiscard]] std::uint32_t home() const noexcept { return home_; }

 private:
  std::shared_ptr<Site> site_;  // null: moved from
  std::shared_ptr<Entrance> entrance_;
  std::uint32_t home_;
  std::optional<ClientCounts::Client> client_;
};

}  // namespace volt::http::server
