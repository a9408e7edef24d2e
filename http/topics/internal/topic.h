// SPDX-License-Identifier: MIT

// Topic: the subscribers of one topic in this process, its last messages, and its members in this process.
//
// The last messages (history) and what waits for subscribers (a Broadcaster, which is a ring that all subscribers read)
// are separate, so that announcements of members do not displace messages that could be replayed. The ring keeps its
// last TopicOptions::queue_max entries alive, also those that all subscribers have received. So it exists only while
// there are subscribers: a topic without them keeps no more than its history.
//
// Threads: any. Lifetime: shared by the hub and the subscriptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/topics/internal/encoded_message.h"
#include "http/topics/topic_options.h"
#include "runtime/broadcast.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"

namespace volt::http::topics {

using SharedMessage = std::shared_ptr<const EncodedMessage>;

// An element of the ring that subscribers read.
struct Entry {
  enum class Kind : std::uint8_t {
    message,
    gap,  // messages up to `position` are gone
    joined,
    left,
  };
  Kind kind = Kind::message;
  SharedMessage message = {};  // null unless a message
  TopicPosition position = {};
  std::string member = {};  // of joined and left
};

// How far a subscriber that publishers wait for has received.
struct Progress {
  std::uint64_t received = 0;  // entries, counted as Topic counts them
};

// The state with which a new subscriber begins.
struct Beginning {
  Subscriber<Entry> live;
  TopicPosition position;  // of the last message before `live` and before `replayed`
  std::vector<SharedMessage> replayed;
  bool unknown = false;  // the subscriber may have missed any number of messages before `replayed`
};

class Topic {
 public:
  Topic(std::string name, const TopicOptions& options, MessageFormat format, TopicPosition last);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // Adds a subscriber. `progress` is set if publishers must wait for it; it must stay valid until end().
  [[nodiscard]] Beginning begin(const SubscribeOptions& options, Progress* progress);
  void end(Progress* progress) noexcept;
  void advance(Progress& progress, std::uint64_t entries) noexcept;

  // Publishes a message under the next number, if all subscribers that must be waited for have room. `data` is moved
  // from only then.
  [[nodiscard]] std::optional<TopicPosition> try_publish(std::string& data);
  [[nodiscard]] bool has_room() const;
  // Waits until there may be room.
  [[nodiscard]] auto room() noexcept { return room_.notified(); }
  // Must be called after room() by a publisher that no longer needs it, for the publisher behind it.
  void pass_room_on() noexcept { room_.notify_one(); }

  // Takes over a message that a backend has numbered. Returns false if messages before it are missing; it is then not
  // taken over.
  [[nodiscard]] bool take(TopicRecord& record);
  // Takes over all that the backend has kept after the last message. Missing messages become a gap.
  void catch_up(TopicHistory history);
  // Begins with what the backend has kept.
  void open(TopicHistory history);
  [[nodiscard]] TopicPosition last() const;

  // A member's subscriptions in this process begin and end. Return whether it is its first and its last one.
  [[nodiscard]] bool join(const std::string& member);
  [[nodiscard]] bool leave(const std::string& member) noexcept;
  [[nodiscard]] bool has(const std::string& member) const;
  [[nodiscard]] std::vector<std::string> members() const;
  [[nodiscard]] std::size_t members_size() const;
  [[nodiscard]] std::size_t subscribers() const;
  // Tells subscribers of a join or leave. `members`: number of members of the topic after it.
  void announce(const std::string& member, bool joined, std::uint64_t members);

  // Held while the messages of a backend are brought into order.
  Mutex ordering;
  bool opened = false;  // under `ordering`

 private:
  [[nodiscard]] bool has_room_locked() const noexcept;
  void append_locked(TopicRecord record);
  void trim_history_locked();
  void send_locked(Entry entry);
  void replay_after_locked(const std::string& id, Beginning& beginning) const;

  const std::string name_;
  const TopicOptions& options_;
  const MessageFormat format_;
  Notify room_;

  mutable std::mutex mutex_;  // guards the members below
  TopicPosition last_;
  std::deque<SharedMessage> history_;       // ends with last_
  std::optional<Broadcaster<Entry>> live_;  // while there are subscribers
  std::uint64_t sent_ = 0;                  // entries that were ever sent to subscribers
  std::size_t subscribers_ = 0;
  std::vector<const Progress*> waited_for_;
  std::map<std::string, std::size_t> members_;  // and how many subscriptions each has
};

}  // namespace volt::http::topics
