// SPDX-License-Identifier: MIT

#include "http/topics/topics.h"

#include "http/topics/internal/hub.h"

namespace volt::http::topics {

AnyTopics::AnyTopics(const TopicOptions& options, DataKind kind, std::shared_ptr<TopicBackend> backend)
    : hub_(std::make_shared<Hub>(options, MessageFormat{.format = options.format, .kind = kind}, std::move(backend))) {}
AnyTopics::~AnyTopics() {
  if (hub_) hub_->stop();
}

Task<TopicPosition> AnyTopics::publish(std::string topic, std::string data) const {
  return hub_->publish(std::move(topic), std::move(data));
}
Task<TopicSubscription> AnyTopics::subscribe(std::string topic, SubscribeOptions options) const {
  return hub_->subscribe(std::move(topic), std::move(options));
}
Task<std::vector<std::string>> AnyTopics::members(std::string topic) const { return hub_->members(std::move(topic)); }
std::size_t AnyTopics::subscribers(const std::string& topic) const { return hub_->subscribers(topic); }

}  // namespace volt::http::topics
