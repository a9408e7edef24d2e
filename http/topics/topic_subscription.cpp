// SPDX-License-Identifier: MIT

#include "http/topics/topic_subscription.h"

#include <utility>

#include "http/topics/internal/hub.h"
#include "http/topics/internal/subscription_state.h"

namespace volt::http {

TopicPosition TopicEvent::position() const noexcept { return message_->position(); }
const std::string& TopicEvent::data() const noexcept { return message_->data(); }

TopicSubscription::TopicSubscription(std::unique_ptr<topics::SubscriptionState> state) noexcept
    : state_(std::move(state)) {}
TopicSubscription::TopicSubscription(TopicSubscription&&) noexcept = default;
TopicSubscription& TopicSubscription::operator=(TopicSubscription&&) noexcept = default;
TopicSubscription::~TopicSubscription() = default;

Task<std::optional<TopicEvent>> TopicSubscription::next() { return state_->next(); }

namespace topics {

TopicLease::TopicLease(std::shared_ptr<Hub> hub, std::shared_ptr<Topic> topic) noexcept
    : hub_(std::move(hub)), topic_(std::move(topic)) {}
TopicLease::~TopicLease() {
  if (hub_) hub_->release(topic_);
}

SubscriptionState::SubscriptionState(TopicLease lease, SubscribeOptions options)
    : lease_(std::move(lease)), options_(std::move(options)) {
  try {
    begin();
  } catch (...) {  // decided: undone, then rethrown
    lease_.topic().end(waited_for() ? &progress_ : nullptr);
    throw;
  }
}

SubscriptionState::~SubscriptionState() {
  lease_.topic().end(waited_for() ? &progress_ : nullptr);
  if (!options_.member.empty()) lease_.hub().leave(lease_.topic(), options_.member);
}

void SubscriptionState::begin() {
  Beginning beginning = lease_.topic().begin(options_, waited_for() ? &progress_ : nullptr);
  live_.emplace(std::move(beginning.live));
  position_ = beginning.position;
  if (beginning.unknown) ready_.emplace_back().kind = TopicEvent::Kind::gap;
  for (const SharedMessage& message : beginning.replayed) add(message);
  if (!options_.member.empty()) lease_.hub().join(lease_.topic(), options_.member);
}

MessageFormat SubscriptionState::format() const noexcept { return lease_.hub().format(); }

Task<std::optional<TopicEvent>> SubscriptionState::next() {
  while (ready_.empty()) {
    if (too_slow_) co_return std::nullopt;
    std::optional<Delivery<Entry>> delivery = co_await live_->receive();
    if (!delivery) co_return std::nullopt;
    if (SharedMessage message = take_following(*delivery)) {
      TopicEvent event;
      event.message_ = std::move(message);
      co_return event;
    }
    receive(*delivery);
  }
  co_return take_ready();
}

SharedMessage SubscriptionState::try_next_message() {
  if (!ready_.empty() || too_slow_) return nullptr;
  std::optional<Delivery<Entry>> delivery = live_->try_receive();
  if (!delivery) return nullptr;
  SharedMessage message = take_following(*delivery);
  if (!message) receive(*delivery);
  return message;
}

// Takes an entry if it is a message that directly follows the last one, as nearly all entries are, and returns the
// message. Otherwise returns null, and receive() must take the entry.
SharedMessage SubscriptionState::take_following(Delivery<Entry>& delivery) {
  const Entry& entry = *delivery.value;
  if (delivery.lost != 0 || entry.kind != Entry::Kind::message) return nullptr;
  const TopicPosition following{.epoch = position_.epoch, .sequence = position_.sequence + 1};
  if (entry.message->position() != following) return nullptr;
  if (waited_for()) lease_.topic().advance(progress_, 1);
  position_ = following;
  return {std::move(delivery.value), entry.message.get()};  // shares the entry, which costs less than another reference
}

TopicEvent SubscriptionState::take_ready() noexcept {
  TopicEvent event = std::move(ready_.front());
  ready_.pop_front();
  return event;
}

void SubscriptionState::receive(const Delivery<Entry>& delivery) {
  if (waited_for()) lease_.topic().advance(progress_, delivery.lost + 1);
  too_slow_ = delivery.lost != 0 && options_.slow == SlowSubscriber::close;
  if (!too_slow_) take(delivery);
}

// Adds the events of an entry; there must be none that are ready. Lost entries show as missing numbers, except lost
// announcements.
void SubscriptionState::take(const Delivery<Entry>& delivery) {
  const Entry& entry = *delivery.value;
  switch (entry.kind) {
    case Entry::Kind::message:
      add(entry.message);
      break;
    case Entry::Kind::gap:
      add_gap(entry.position);
      break;
    case Entry::Kind::joined:
    case Entry::Kind::left: {
      if (!options_.presence) break;
      TopicEvent& event = ready_.emplace_back();
      event.kind = entry.kind == Entry::Kind::joined ? TopicEvent::Kind::joined : TopicEvent::Kind::left;
      event.member = entry.member;
      break;
    }
  }
  const bool shown = !ready_.empty() && ready_.front().kind == TopicEvent::Kind::gap;
  if (delivery.lost == 0 || !options_.presence || shown) return;
  ready_.emplace_front().kind = TopicEvent::Kind::gap;
}

// Ignores a message that was replayed already.
void SubscriptionState::add(const SharedMessage& message) {
  const TopicPosition position = message->position();
  if (position.epoch == position_.epoch && position.sequence <= position_.sequence) return;
  TopicPosition before = position;
  --before.sequence;
  if (before != position_) add_gap(before);
  position_ = position;
  ready_.emplace_back().message_ = message;
}

// Messages up to `position` are missing.
void SubscriptionState::add_gap(TopicPosition position) {
  TopicEvent& gap = ready_.emplace_back();
  gap.kind = TopicEvent::Kind::gap;
  if (position.epoch == position_.epoch && position.sequence > position_.sequence) {
    gap.lost = position.sequence - position_.sequence;
  }
  position_ = position;
}

}  // namespace topics
}  // namespace volt::http
