// SPDX-License-Identifier: MIT

#include "http/topics/internal/hub.h"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>

#include "crypto/random.h"
#include "http/websocket/protocol/utf8.h"

namespace volt::http::topics {
namespace {

constexpr std::size_t kNameBytesMax = 200;
constexpr std::size_t kSweptAtOnce = 10;

// Backends store names as texts.
void require_name(std::string_view name, const char* what) {
  const bool valid = name.size() <= kNameBytesMax && !name.contains('\0') && websocket::is_utf8(name);
  if (!valid) throw std::invalid_argument(std::string(what) + " must be UTF-8 without NUL of at most 200 bytes");
}

TopicOptions checked(TopicOptions options) {
  if (options.queue_max == 0 || options.topics_max == 0) {
    throw std::invalid_argument("queue_max and topics_max of Topics must be at least 1");
  }
  if (options.retention.count() < 0) throw std::invalid_argument("the retention of Topics must not be negative");
  return options;
}

std::uint32_t random_epoch() noexcept {
  std::uint32_t epoch = 0;
  crypto::fill_random(std::as_writable_bytes(std::span(&epoch, 1)));
  return epoch;
}

// For a publisher that has waited for room: passes the room on when it ends, also with an exception.
struct PassRoomOn {
  Topic& topic;
  ~PassRoomOn() { topic.pass_room_on(); }
};

}  // namespace

Hub::Hub(TopicOptions options, MessageFormat format, std::shared_ptr<TopicBackend> backend)
    : options_(checked(options)), format_(format), backend_(std::move(backend)) {
  if (format.kind == DataKind::bytes && format.format == TopicFormat::numbered) {
    throw std::invalid_argument("topics of bytes need TopicFormat::plain: numbered messages are JSON");
  }
}

void Hub::stop() { stop_.cancel(); }

// ---- the topics of this process ----

TopicLease Hub::acquire(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  auto found = topics_.find(name);
  if (found == topics_.end()) {
    make_room_locked();
    const TopicPosition begin{.epoch = backend_ ? 0 : random_epoch()};
    auto topic = std::make_shared<Topic>(name, options_, format_, begin);
    std::list<Unused> entry{{.name = name, .until = Deadline::after(options_.retention)}};
    const auto at = entry.begin();
    found = topics_.emplace(name, Held{.topic = std::move(topic), .entry = std::move(entry), .at = at}).first;
  } else if (Held& held = found->second; held.leases == 0) {
    held.entry.splice(held.entry.end(), unused_, held.at);
  }
  ++found->second.leases;
  return {shared_from_this(), found->second.topic};
}

void Hub::make_room_locked() {
  for (std::size_t swept = 0; swept != kSweptAtOnce; ++swept) {
    if (unused_.empty() || !unused_.front().until.passed()) break;
    remove_oldest_locked();
  }
  if (topics_.size() < options_.topics_max) return;
  if (unused_.empty()) throw std::length_error("all topics that TopicOptions::topics_max allows have subscribers");
  remove_oldest_locked();
}

void Hub::remove_oldest_locked() {
  topics_.erase(unused_.front().name);
  unused_.pop_front();
}

// With a backend, messages are kept there.
void Hub::release(const std::shared_ptr<Topic>& topic) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = topics_.find(topic->name());
  Held& held = found->second;
  if (--held.leases != 0) return;
  if (backend_ || topic->last().sequence == 0 || options_.history_max == 0) {
    topics_.erase(found);
    return;
  }
  held.at->until = Deadline::after(options_.retention);
  unused_.splice(unused_.end(), held.entry);
}

std::shared_ptr<Topic> Hub::find(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second.topic;
}

std::size_t Hub::subscribers(const std::string& name) const {
  const std::shared_ptr<Topic> topic = find(name);
  return topic ? topic->subscribers() : 0;
}

// ---- publishing and subscribing ----

Task<TopicPosition> Hub::publish(std::string name, std::string data) {
  require_name(name, "the name of a topic");
  if (name.empty()) throw std::invalid_argument("a topic needs a name");
  if (data.size() > options_.message_bytes_max) {
    throw std::length_error("a message exceeds TopicOptions::message_bytes_max");
  }
  if (format_.kind == DataKind::text && !websocket::is_utf8(data)) {
    throw std::invalid_argument("the text of a message is not UTF-8");
  }
  if (!backend_) co_return co_await publish_here(std::move(name), std::move(data));
  co_await await_room(name);
  const TopicLimits limits{.history_max = options_.history_max, .retention = options_.retention};
  co_return co_await backend_->publish(std::move(name), std::move(data), limits);
}

Task<TopicPosition> Hub::publish_here(std::string name, std::string data) {
  const TopicLease lease = acquire(name);
  std::optional<TopicPosition> position = lease.topic().try_publish(data);
  if (position) co_return *position;
  const PassRoomOn pass_on{lease.topic()};
  while (!position) {
    co_await lease.topic().room();
    position = lease.topic().try_publish(data);
  }
  co_return *position;
}

Task<> Hub::await_room(std::string name) {
  const std::shared_ptr<Topic> topic = find(name);
  if (!topic || topic->has_room()) co_return;
  while (!topic->has_room()) co_await topic->room();
  topic->pass_room_on();
}

Task<TopicSubscription> Hub::subscribe(std::string name, SubscribeOptions options) {
  require_name(name, "the name of a topic");
  require_name(options.member, "the name of a member");
  if (name.empty()) throw std::invalid_argument("a topic needs a name");
  TopicLease lease = acquire(name);
  if (backend_) co_await open(lease.topic());
  co_return TopicSubscription(std::make_unique<SubscriptionState>(std::move(lease), std::move(options)));
}

// ---- members ----

void Hub::join(Topic& topic, const std::string& member) {
  if (!topic.join(member)) return;
  try {
    if (backend_) return note(topic.name(), member);
    topic.announce(member, true, topic.members_size());
  } catch (const std::bad_alloc&) {  // decided: undone, then rethrown
    static_cast<void>(topic.leave(member));
    throw;
  }
}

void Hub::leave(Topic& topic, const std::string& member) noexcept {
  if (!topic.leave(member)) return;
  try {
    if (backend_) return note(topic.name(), member);
    topic.announce(member, false, topic.members_size());
  } catch (const std::bad_alloc&) {  // decided: not announced; with a backend, present until the lease ends
  }
}

Task<std::vector<std::string>> Hub::members(std::string name) {
  require_name(name, "the name of a topic");
  if (backend_) co_return co_await backend_->members(std::move(name));
  const std::shared_ptr<Topic> topic = find(name);
  if (!topic) co_return std::vector<std::string>();
  co_return topic->members();
}

void Hub::announce(const std::string& name, const std::string& member, bool joined, std::uint64_t members) {
  const std::shared_ptr<Topic> topic = find(name);
  if (topic) topic->announce(member, joined, members);
}

}  // namespace volt::http::topics
