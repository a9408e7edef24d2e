#include "http/middleware/internal/turnstile.h"

#include <algorithm>

#include "runtime/concurrent.h"

namespace volt::http::middleware {
namespace {

Task<> notified(Notify& notify) { co_await notify.notified(); }

}  // namespace

// A place in the queue: left at the end of the wait, however that comes.
class Turnstile::Place {
 public:
  explicit Place(Turnstile& turnstile) : turnstile_(turnstile) {
    const std::lock_guard lock(turnstile_.mutex_);
    // Somebody may have left since try_enter().
    if (turnstile_.inside_ < turnstile_.options_.inside_max) {
      ++turnstile_.inside_;
      turn_.given = true;
    } else if (turnstile_.waiting_.size() < turnstile_.options_.waiting_max) {
      turnstile_.waiting_.push_back(&turn_);
      queued_ = true;
    }
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { static_cast<void>(leave_queue()); }

  [[nodiscard]] bool queued() const noexcept { return queued_; }
  [[nodiscard]] Notify& came() noexcept { return turn_.came; }

  // The pass, if it was given one, even at the last moment.
  [[nodiscard]] std::optional<Pass> leave_queue() noexcept {
    const std::unique_lock lock(turnstile_.mutex_);
    std::erase(turnstile_.waiting_, &turn_);
    if (!std::exchange(turn_.given, false)) return std::nullopt;
    return std::optional<Pass>(std::in_place, turnstile_);
  }

 private:
  Turnstile& turnstile_;
  Turn turn_;
  bool queued_ = false;
};

std::optional<Turnstile::Pass> Turnstile::try_enter() noexcept {
  const std::lock_guard lock(mutex_);
  if (inside_ == options_.inside_max) return std::nullopt;  // so nobody waits while there is room
  ++inside_;
  return std::optional<Pass>(std::in_place, *this);
}

Task<std::optional<Turnstile::Pass>> Turnstile::enter_later() {
  Place place(*this);
  if (place.queued()) {
    auto until_it_comes = [&place] { return notified(place.came()); };
    auto waiting = within(options_.wait_max, until_it_comes);
    [[maybe_unused]] const Result<void> in_time = co_await std::move(waiting);
  }
  co_return place.leave_queue();
}

// The place goes to who has waited longest. Told under the lock: else the turn may be gone before it is told.
void Turnstile::leave() noexcept {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    --inside_;
    return;
  }
  Turn& next = *waiting_.front();
  waiting_.pop_front();
  next.given = true;
  next.came.notify_one();
}

}  // namespace volt::http::middleware
