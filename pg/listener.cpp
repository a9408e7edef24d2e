// SPDX-License-Identifier: MIT

#include "pg/listener.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pg/error.h"
#include "pg/internal/listening.h"
#include "runtime/logger.h"
#include "runtime/time.h"

namespace volt::pg {
namespace {

constexpr Logger kListenerLog("pg");

}  // namespace

class Listener::State {
 public:
  State(PoolOptions options, std::vector<std::string> channels)
      : options_(std::move(options)), channels_(std::move(channels)) {
    if (channels_.empty()) throw std::invalid_argument("a pg::Listener needs the name of a channel");
  }

  // Waits for the next notification. Returns nothing after an error, when the connection is closed.
  Task<std::optional<Notification>> try_next();
  // Waits before the next attempt to connect.
  [[nodiscard]] auto pause() const { return sleep_for(pause_); }

 private:
  void lose(const std::string& reason);

  const PoolOptions options_;
  const std::vector<std::string> channels_;
  std::optional<internal::Listening> listening_;
  bool lost_ = false;  // the log says that there is no connection
  std::chrono::milliseconds pause_{0};
};

Task<std::optional<Notification>> Listener::State::try_next() {
  try {
    if (!listening_) {
      internal::Listening opened = co_await internal::Listening::open(options_, channels_);
      listening_.emplace(std::move(opened));
      if (std::exchange(lost_, false)) kListenerLog(LogLevel::info, "listening again");
      pause_ = std::chrono::milliseconds(0);
      co_return Notification{.gap = true};
    }
    for (;;) {
      std::optional<Notification> arrived = listening_->take();
      if (arrived) co_return arrived;
      co_await listening_->wait();
    }
  } catch (const std::exception& error) {  // decided: connects again; not only errors of the connection end it
    lose(error.what());
  }
  co_return std::nullopt;
}

void Listener::State::lose(const std::string& reason) {
  listening_.reset();
  pause_ = std::clamp(pause_ * 2, options_.backoff_min, std::max(options_.backoff_min, options_.backoff_max));
  if (std::exchange(lost_, true)) return;
  kListenerLog(LogLevel::error, "lost the connection of a listener", {{"error", reason}});
}

Listener::Listener(PoolOptions options, std::vector<std::string> channels)
    : state_(std::make_unique<State>(std::move(options), std::move(channels))) {}
Listener::Listener(Listener&&) noexcept = default;
Listener& Listener::operator=(Listener&&) noexcept = default;
Listener::~Listener() = default;

Task<Notification> Listener::next() {
  for (;;) {
    std::optional<Notification> arrived = co_await state_->try_next();
    if (arrived) co_return *std::move(arrived);
    co_await state_->pause();
  }
}

}  // namespace volt::pg
