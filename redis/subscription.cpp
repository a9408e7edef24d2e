// SPDX-License-Identifier: MIT

#include "redis/subscription.h"

#include <optional>
#include <utility>

#include "redis/error.h"
#include "redis/internal/listener.h"

namespace volt::redis {

Subscription::Subscription(std::shared_ptr<internal::Listener> listener, Receiver<Message> messages) noexcept
    : listener_(std::move(listener)), messages_(std::move(messages)) {}
Subscription::Subscription(Subscription&&) noexcept = default;
Subscription& Subscription::operator=(Subscription&& other) noexcept {
  std::swap(listener_, other.listener_);
  std::swap(messages_, other.messages_);
  return *this;
}

Subscription::~Subscription() {
  if (listener_ != nullptr) listener_->stop();
}

Task<Message> Subscription::next() {
  std::optional<Message> message = co_await messages_.receive();
  if (!message) throw Unavailable("the subscription has ended");
  co_return *std::move(message);
}

void Subscription::add(const std::string& channel) { listener_->add(channel); }
void Subscription::remove(const std::string& channel) { listener_->remove(channel); }

}  // namespace volt::redis
