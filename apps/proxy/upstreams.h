// Upstreams: whom requests may go to, how busy each is, and whether it is well.
//
// The least busy is chosen, of several the one whose turn it is. Two things keep requests away from one: checks that find
// it ill (health.h), and requests that fail in a row: then it is left alone for a while, unless nobody else is left.
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
  class Place {
   public:
    Place(std::shared_ptr<Upstreams> upstreams, std::size_t index) noexcept
        : upstreams_(std::move(upstreams)), index_(index) {}
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&& other) noexcept {
      std::swap(upstreams_, other.upstreams_);
      std::swap(index_, other.index_);
      return *this;
    }
    ~Place() {
      if (upstreams_) upstreams_->give_back(index_);
    }

    [[nodiscard]] std::size_t index() const noexcept { return index_; }
    [[nodiscard]] const std::string& uri() const noexcept { return upstreams_->uri(index_); }
    // What came of the request.
    void succeeded() { upstreams_->note_request(index_, true); }
    void failed() { upstreams_->note_request(index_, false); }

   private:
    std::shared_ptr<Upstreams> upstreams_;  // null: moved away
    std::size_t index_;
  };

  explicit Upstreams(const Options& options);

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] const std::string& uri(std::size_t index) const noexcept { return all_[index].uri; }

  // Waits for a place, if those who are well have none left. Nothing: nobody is well, or there was none in time.
  [[nodiscard]] volt::Task<std::optional<Place>> take();
  // At another than these; does not wait.
  [[nodiscard]] std::optional<Place> try_take(const std::vector<std::size_t>& tried);

  // What a check found.
  void note_check(std::size_t index, bool good);

 private:
  struct Upstream {
    std::string uri;
    std::size_t busy = 0;   // requests under way
    bool well = true;       // as far as checks know
    unsigned against = 0;   // checks in a row that said otherwise
    unsigned failures = 0;  // requests in a row
    std::chrono::nanoseconds alone_until{0};
  };

  [[nodiscard]] static bool may_be_asked(const Upstream& upstream, std::chrono::nanoseconds now) noexcept {
    return upstream.well && upstream.alone_until <= now;
  }
  [[nodiscard]] bool anybody_well() const;
  [[nodiscard]] volt::Task<std::optional<Place>> wait_for_place();
  void give_back(std::size_t index) noexcept;
  void note_request(std::size_t index, bool good);

  const Options options_;
  volt::Notify room_;
  mutable std::mutex mutex_;
  std::vector<Upstream> all_;  // under mutex_, but uri
  std::size_t turn_ = 0;       // under mutex_: who is looked at first
};

}  // namespace proxy
