// Upstreams: whom requests may go to, how busy each is, and whether it is healthy.
//
// The least busy is chosen, of several the one whose turn it is. Two things keep requests away from one: checks that find
// it unhealthy (health.h), and requests that fail in a row: then it is left alone for a while, unless nobody else is left.
//
// Threads: any task. Lifetime: shared by those who hold a place.
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
  // A request's share of one, given back when it goes.
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
    // What came of the request.
    void succeeded() { upstreams_->record_request_result(index_, true); }
    void failed() { upstreams_->record_request_result(index_, false); }

   private:
    std::shared_ptr<Upstreams> upstreams_;  // null: moved away
    std::size_t index_;
  };

  explicit Upstreams(const Options& options);

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] const std::string& uri(std::size_t index) const noexcept { return all_[index].uri; }

  // Waits for a place, if those who are healthy have none left. Nothing: nobody is healthy, or there was none in time.
  [[nodiscard]] volt::Task<std::optional<Lease>> take();
  // At another than these; does not wait.
  [[nodiscard]] std::optional<Lease> try_take(const std::vector<std::size_t>& tried);

  // What a check found.
  void record_health_check(std::size_t index, bool good);

 private:
  struct Upstream {
    std::string uri;
    std::size_t busy = 0;   // requests under way
    bool healthy = true;    // as far as checks know
    unsigned against = 0;   // checks in a row that said otherwise
    unsigned failures = 0;  // requests in a row
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
  std::vector<Upstream> all_;  // under mutex_, but uri
  std::size_t turn_ = 0;       // under mutex_: who is looked at first
};

}  // namespace proxy
