// SPDX-License-Identifier: MIT

#include "http/topics/topics.h"

#include "http/topics/internal/hub.h"

namespace volt::http::topics {
namespace {

// Shared by the copies. The hub's tasks keep the hub alive until it is stopped.
struct Owner {
  explicit Owner(std::shared_ptr<Hub> owned) : hub(std::move(owned)) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { hub->stop(); }

  const std::shared_ptr<Hub> hub;
};

std::shared_ptr<Hub> stopped_with_its_last_owner(std::shared_ptr<Hub> hub) {
  Hub* const shared = hub.get();
  return {std::make_shared<Owner>(std::move(hub)), shared};
}

}  // namespace

AnyTopics::AnyTopics(const TopicOptions& options, DataKind kind, std::shared_ptr<TopicBackend> backend)
    : hub_(stopped_with_its_last_owner(
          std::make_shared<Hub>(options, MessageFormat{.format = options.format, .kind = kind}, std::move(backend)))) {}

Task<TopicPosition> AnyTopics::publish(std::string topic, std::string data) const {
  return hub_->publish(std::move(topic), std::move(data));
}
Task<TopicSubscription> AnyTopics::subscribe(std::string topic, SubscribeOptions options) const {
  return hub_->subscribe(std::move(topic), std::move(options));
}
Task<std::vector<std::string>> AnyTopics::members(std::string topic) const { return hub_->members(std::move(topic)); }
std::size_t AnyTopics::subscribers(const std::string& topic) const { return hub_->subscribers(topic); }

}  // namespace volt::http::topics
