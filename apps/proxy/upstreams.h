// SPDX-License-Identifier: MIT

// Upstreams: selects an upstream for each request, and keeps the load and the health of every upstream.
//
// Selects the upstream with the fewest requests in progress; if several have equally few, they take turns. An upstream
// gets no requests while health checks find it unhealthy (health.h). After Options::failures_max failed requests in a
// row it is ejected: it gets no requests for Options::eject_for. The last available upstream is never ejected.
//
// Threads: any task. Lifetime: shared by all leases.
#pragma once

#include <runtime/notify.h>
#include <runtime/task.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/proxy/options.h"

namespace proxy {

class Upstreams : public std::enable_shared_from_this<Upstreams> {
 public:
  // The right to send one request to an upstream; given back by the destructor.
  class Lease {
   public:
    Lease(std::shared_ptr<Upstreams> upstreams, std::size_t index) noexcept
        : upstreams_(std::move(upstreams)), index_(index) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
      std::swap(upstreams_, other.upstreams_);
      std::swap(index_, other.index_);
      return *this;
    }
    ~Lease() {
      if (upstreams_) upstreams_->give_back(index_);
    }

    [[nodiscard]] std::size_t index() const noexcept { return index_; }
    [[nodiscard]] const std::string& uri() const noexcept { return upstreams_->uri(index_); }
    // Record the result of the request, which may eject the upstream.
    void succeeded() { upstreams_->record_request_result(index_, true); }
    void failed() { upstreams_->record_request_result(index_, false); }

   private:
    std::shared_ptr<Upstreams> upstreams_;  // null: moved away
    std::size_t index_;
  };

  explicit Upstreams(const Options& options);

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] const std::string& uri(std::size_t index) const noexcept { return all_[index].uri; }

  // Returns a lease. Waits for at most Options::wait if all healthy upstreams are busy. Empty if the wait times out, or
  // if no upstream is healthy.
  [[nodiscard]] volt::Task<std::optional<Lease>> take();
  // Returns a lease of an upstream that is not in `tried`, without waiting. Empty if there is none.
  [[nodiscard]] std::optional<Lease> try_take(const std::vector<std::size_t>& tried);

  // Records the result of a health check.
  void record_health_check(std::size_t index, bool good);

 private:
  struct Upstream {
    std::string uri;
    std::size_t busy = 0;   // requests in progress
    bool healthy = true;    // result of the health checks
    unsigned against = 0;   // number of health checks in a row that contradict `healthy`
    unsigned failures = 0;  // failed requests in a row
    std::chrono::nanoseconds ejected_until{0};
  };

  [[nodiscard]] static bool available(const Upstream& upstream, std::chrono::nanoseconds now) noexcept {
    return upstream.healthy && upstream.ejected_until <= now;
  }
  [[nodiscard]] bool any_healthy() const;
  [[nodiscard]] volt::Task<std::optional<Lease>> wait_for_lease();
  void give_back(std::size_t index) noexcept;
  void record_request_result(std::size_t index, bool good);

  const Options options_;
  volt::Notify room_;
  mutable std::mutex mutex_;
  std::vector<Upstream> all_;  // under mutex_, except the uri, which is constant
  std::size_t turn_ = 0;       // under mutex_: index at which the next selection begins
};

}  // namespace proxy
