// SPDX-License-Identifier: MIT

// Upstreams: selects an upstream for each request, and keeps the load and the health of every upstream.
//
// Selects the upstream with the fewest requests in progress; if several have equally few, they take turns. An upstream
// gets no requests while health checks find it unhealthy (health.h). After Options::failures_max failed requests in a
// row it is ejected: it gets no requests for Options::eject_for. The last available upstream is never ejected.
//
// There are places for requests, for bodies and for tunnels, so that clients that are slow or stay connected cannot
// take the places of requests. One client may have only Options::client_share of the places of each kind.
//
// Threads: any task. Lifetime: shared by all leases.
#pragma once

#include <runtime/notify.h>
#include <runtime/task.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/proxy/options.h"

namespace proxy {

enum class Place : std::uint8_t { request, body, tunnel };
inline constexpr std::size_t kPlaceKinds = 3;

// The reason why there is no place.
enum class NoPlace : std::uint8_t {
  unavailable,   // no upstream is healthy, or all are busy
  client_share,  // the client has as many places as one client may have
};

class Upstreams : public std::enable_shared_from_this<Upstreams> {
 public:
  // A place at an upstream, given back by the destructor.
  class Lease {
   public:
    Lease(std::shared_ptr<Upstreams> upstreams, std::size_t index, Place place, std::string client) noexcept
        : upstreams_(std::move(upstreams)), index_(index), place_(place), client_(std::move(client)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
      std::swap(upstreams_, other.upstreams_);
      std::swap(index_, other.index_);
      std::swap(place_, other.place_);
      std::swap(client_, other.client_);
      return *this;
    }
    ~Lease() {
      if (upstreams_) upstreams_->give_back(index_, place_, client_);
    }

    [[nodiscard]] std::size_t index() const noexcept { return index_; }
    [[nodiscard]] const std::string& uri() const noexcept { return upstreams_->uri(index_); }
    // Exchanges the place for one of another kind at the same upstream. Returns false if none is free.
    [[nodiscard]] bool try_move_to(Place place) {
      const bool moved = place == place_ || upstreams_->try_exchange(index_, place_, place, client_);
      if (moved) place_ = place;
      return moved;
    }
    // Record the result of the request, which may eject the upstream.
    void succeeded() { upstreams_->record_request_result(index_, true); }
    void failed() { upstreams_->record_request_result(index_, false); }

   private:
    std::shared_ptr<Upstreams> upstreams_;  // null: moved away
    std::size_t index_;
    Place place_;
    std::string client_;
  };

  explicit Upstreams(const Options& options);

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] const std::string& uri(std::size_t index) const noexcept { return all_[index].uri; }

  // Returns a lease for `client`, which may be empty: then Options::client_share does not apply. Waits for at most
  // Options::wait if all healthy upstreams are busy.
  [[nodiscard]] volt::Task<std::expected<Lease, NoPlace>> take(Place place, std::string client);
  // Returns a lease of an upstream that is not in `tried`, without waiting.
  [[nodiscard]] std::expected<Lease, NoPlace> try_take(Place place, const std::string& client,
                                                       const std::vector<std::size_t>& tried);

  // Records the result of a health check.
  void record_health_check(std::size_t index, bool good);

 private:
  using Counts = std::array<std::size_t, kPlaceKinds>;  // by Place

  struct Upstream {
    std::string uri;
    Counts busy{};          // places that are taken
    bool healthy = true;    // result of the health checks
    unsigned against = 0;   // number of health checks in a row that contradict `healthy`
    unsigned failures = 0;  // failed requests in a row
    std::chrono::nanoseconds ejected_until{0};
  };

  [[nodiscard]] static bool available(const Upstream& upstream, std::chrono::nanoseconds now) noexcept {
    return upstream.healthy && upstream.ejected_until <= now;
  }
  [[nodiscard]] static std::size_t load_of(const Upstream& upstream) noexcept;
  [[nodiscard]] std::size_t limit(Place place) const noexcept;
  [[nodiscard]] bool any_healthy() const;
  // Returns whether `client` may have one more place of this kind.
  [[nodiscard]] bool has_share_locked(Place place, const std::string& client) const;
  void count_client_locked(Place place, const std::string& client);
  void forget_client_locked(Place place, const std::string& client);
  [[nodiscard]] volt::Task<std::expected<Lease, NoPlace>> wait_for_lease(Place place, const std::string& client);
  [[nodiscard]] bool try_exchange(std::size_t index, Place from, Place to, const std::string& client);
  void give_back(std::size_t index, Place place, const std::string& client) noexcept;
  void record_request_result(std::size_t index, bool good);

  const Options options_;
  std::array<volt::Notify, kPlaceKinds> room_;  // by Place
  mutable std::mutex mutex_;
  std::vector<Upstream> all_;  // under mutex_, except the uri, which is constant
  // Under mutex_: the places of each client that has any. At most as many entries as there are places.
  std::unordered_map<std::string, Counts> clients_;
  std::size_t turn_ = 0;  // under mutex_: index at which the next selection begins
};

}  // namespace proxy
