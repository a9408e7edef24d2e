// SPDX-License-Identifier: MIT

#include "http/topics/internal/topic.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace volt::http::topics {

Topic::Topic(std::string name, const TopicOptions& options, MessageFormat format, TopicPosition last)
    : name_(std::move(name)), options_(options), format_(format), last_(last) {}

// ---- subscribers ----

Beginning Topic::begin(const SubscribeOptions& options, Progress* progress) {
  const std::scoped_lock lock(mutex_);
  ++subscribers_;  // end() undoes it, also if an exception follows
  if (!live_) live_.emplace(options_.queue_max);
  Beginning beginning{.live = live_->subscribe(), .position = last_, .replayed = {}};
  if (progress != nullptr) {
    progress->received = sent_;
    waited_for_.push_back(progress);
  }
  if (!options.after.empty()) {
    replay_after_locked(options.after, beginning);
  } else {
    const std::size_t count = std::min(options.last, history_.size());
    beginning.replayed.assign(history_.end() - static_cast<std::ptrdiff_t>(count), history_.end());
    beginning.position.sequence -= count;
  }
  return beginning;
}

// An id of another epoch, or one that is ahead of the topic, says nothing about what the client has missed.
void Topic::replay_after_locked(const std::string& id, Beginning& beginning) const {
  const std::optional<TopicPosition> after = TopicPosition::parse(id);
  beginning.unknown = !after || after->epoch != last_.epoch || after->sequence > last_.sequence;
  std::uint64_t missing = history_.size();
  if (!beginning.unknown) {
    beginning.position = *after;
    missing = std::min<std::uint64_t>(missing, last_.sequence - after->sequence);
  } else {
    beginning.position.sequence -= missing;
  }
  beginning.replayed.assign(history_.end() - static_cast<std::ptrdiff_t>(missing), history_.end());
}

void Topic::end(Progress* progress) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (--subscribers_ == 0) live_.reset();  // the Subscriber, which the caller destroys later, frees the entries
    std::erase(waited_for_, progress);
  }
  if (progress != nullptr) room_.notify_one();
}

void Topic::advance(Progress& progress, std::uint64_t entries) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    progress.received += entries;
  }
  room_.notify_one();
}

// ---- messages ----

bool Topic::has_room_locked() const noexcept {
  return std::ranges::all_of(waited_for_,
                             [&](const Progress* one) { return sent_ - one->received < options_.queue_max; });
}

bool Topic::has_room() const {
  const std::scoped_lock lock(mutex_);
  return has_room_locked();
}

std::optional<TopicPosition> Topic::try_publish(std::string& data) {
  const std::scoped_lock lock(mutex_);
  if (!has_room_locked()) return std::nullopt;
  const TopicPosition next{.epoch = last_.epoch, .sequence = last_.sequence + 1};
  append_locked({.position = next, .data = std::move(data)});
  return next;
}

// Subscribers receive the message, and it is in the history, or neither: a message with a number that subscribers never
// receive would be a gap.
void Topic::append_locked(TopicRecord record) {
  auto message = std::make_shared<const EncodedMessage>(std::move(record), format_);
  const TopicPosition position = message->position();
  history_.push_back(message);
  try {
    send_locked({.kind = Entry::Kind::message, .message = std::move(message)});
  } catch (...) {  // std::bad_alloc; decided: undone, then rethrown
    history_.pop_back();
    throw;
  }
  last_ = position;
  trim_history_locked();
}

// With the lock held, so that all subscribers receive the entries in the same order.
void Topic::send_locked(Entry entry) {
  if (!live_) return;
  live_->send(std::move(entry));
  ++sent_;
}

bool Topic::take(TopicRecord& record) {
  const std::scoped_lock lock(mutex_);
  if (record.position.epoch == last_.epoch && record.position.sequence <= last_.sequence) return true;
  const TopicPosition next{.epoch = last_.epoch, .sequence = last_.sequence + 1};
  if (record.position != next) return false;
  append_locked(std::move(record));
  return true;
}

void Topic::catch_up(TopicHistory history) {
  const std::scoped_lock lock(mutex_);
  const bool anew = history.last.epoch != last_.epoch || history.last.sequence < last_.sequence;
  if (anew) {
    history_.clear();
    last_ = history.last;
    last_.sequence -= history.records.size();
    send_locked({.kind = Entry::Kind::gap, .position = last_});
  }
  for (TopicRecord& record : history.records) {
    if (record.position.sequence <= last_.sequence) continue;
    if (!history_.empty() && record.position.sequence != last_.sequence + 1) history_.clear();
    append_locked(std::move(record));
  }
  if (last_ == history.last) return;
  history_.clear();  // the missing messages are gone, and none came after them
  last_ = history.last;
  send_locked({.kind = Entry::Kind::gap, .position = last_});
}

void Topic::open(TopicHistory history) {
  const std::scoped_lock lock(mutex_);
  last_ = history.last;
  history_.clear();
  for (TopicRecord& record : history.records) {
    history_.push_back(std::make_shared<const EncodedMessage>(std::move(record), format_));
  }
  trim_history_locked();
}

// A backend may have more messages: other processes may keep more.
void Topic::trim_history_locked() {
  while (history_.size() > options_.history_max) history_.pop_front();
}

TopicPosition Topic::last() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

// ---- members ----

bool Topic::join(const std::string& member) {
  const std::scoped_lock lock(mutex_);
  return ++members_[member] == 1;
}

bool Topic::leave(const std::string& member) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = members_.find(member);
  if (--found->second != 0) return false;
  members_.erase(found);
  return true;
}

bool Topic::has(const std::string& member) const {
  const std::scoped_lock lock(mutex_);
  return members_.contains(member);
}

std::vector<std::string> Topic::members() const {
  const std::scoped_lock lock(mutex_);
  const auto names = members_ | std::views::keys;
  return {names.begin(), names.end()};
}

std::size_t Topic::members_size() const {
  const std::scoped_lock lock(mutex_);
  return members_.size();
}

std::size_t Topic::subscribers() const {
  const std::scoped_lock lock(mutex_);
  return subscribers_;
}

void Topic::announce(const std::string& member, bool joined, std::uint64_t members) {
  if (members > options_.announced_members_max) return;
  const std::scoped_lock lock(mutex_);
  send_locked({.kind = joined ? Entry::Kind::joined : Entry::Kind::left, .member = member});
}

}  // namespace volt::http::topics
