// SPDX-License-Identifier: MIT

// Hub: the topics of a process that have subscribers or kept messages, and their connection to the backend.
//
// With a backend, one task receives its messages, and one tells it the members of this process. A change of a member is
// noted (changed_) and told by that task, because subscriptions end in destructors, which cannot wait. Several changes
// of one member are one note, so that there are never more notes than members.
//
// Without a backend, a topic without subscribers is kept for TopicOptions::retention. There is no timer: each new topic
// removes up to kSweptAtOnce of those whose time is over.
//
// Threads: any. Lifetime: shared by Topics, the subscriptions and the tasks; stop() ends the tasks.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "http/topics/internal/subscription_state.h"
#include "http/topics/internal/topic.h"
#include "http/topics/topic_backend.h"
#include "runtime/cancel_token.h"
#include "runtime/deadline.h"
#include "runtime/notify.h"

namespace volt::http::topics {

class Hub final : public TopicSink, public std::enable_shared_from_this<Hub> {
 public:
  // Throws std::invalid_argument if an option is out of its range.
  Hub(TopicOptions options, MessageFormat format, std::shared_ptr<TopicBackend> backend);

  [[nodiscard]] MessageFormat format() const noexcept { return format_; }
  void stop();

  [[nodiscard]] Task<TopicPosition> publish(std::string name, std::string data);
  [[nodiscard]] Task<TopicSubscription> subscribe(std::string name, SubscribeOptions options);
  [[nodiscard]] Task<std::vector<std::string>> members(std::string name);
  [[nodiscard]] std::size_t subscribers(const std::string& name) const;

  // Called by subscriptions.
  void join(Topic& topic, const std::string& member);
  void leave(Topic& topic, const std::string& member) noexcept;
  void release(const std::shared_ptr<Topic>& topic) noexcept;

  [[nodiscard]] bool wants(const std::string& name) const override;
  [[nodiscard]] Task<> deliver(std::string name, TopicRecord record) override;
  [[nodiscard]] Task<> resume() override;
  void announce(const std::string& name, const std::string& member, bool joined, std::uint64_t members) override;

 private:
  using Name = std::pair<std::string, std::string>;  // of a topic and a member
  struct Unused {
    std::string name;
    Deadline until;
  };
  struct Held {
    std::shared_ptr<Topic> topic;
    std::size_t leases = 0;
    std::list<Unused> entry;  // of unused_; empty while it is there, so that moving it allocates nothing
    std::list<Unused>::iterator at;
  };

  [[nodiscard]] TopicLease acquire(const std::string& name);
  [[nodiscard]] std::shared_ptr<Topic> find(const std::string& name) const;
  void make_room_locked();
  void remove_oldest_locked();

  [[nodiscard]] Task<TopicPosition> publish_here(std::string name, std::string data);
  [[nodiscard]] Task<> await_room(std::string name);
  [[nodiscard]] Task<> open(Topic& topic);
  [[nodiscard]] Task<> catch_up(Topic& topic);

  void start();
  static Task<> receive(std::shared_ptr<Hub> hub);
  static Task<> tell_members(std::shared_ptr<Hub> hub);
  [[nodiscard]] Task<> tell_changes();
  [[nodiscard]] Task<> tell_or_renew(Deadline& renew_at);
  void note(const std::string& topic, const std::string& member);
  void note_all();

  const TopicOptions options_;
  const MessageFormat format_;
  const std::shared_ptr<TopicBackend> backend_;  // null: none
  CancelSource stop_;
  Notify members_changed_;

  mutable std::mutex mutex_;  // guards the members below
  bool started_ = false;
  std::unordered_map<std::string, Held> topics_;
  std::list<Unused> unused_;  // topics without leases, the longest unused first
  std::set<Name> changed_;    // members whose presence in this process the backend may not know
};

}  // namespace volt::http::topics
