// SPDX-License-Identifier: MIT

// TopicBackend: distributes the messages of topics between the processes of a service. Without a backend, Topics
// (http/topics/topics.h) connects the subscribers of one process. topics/pg_topics.h and topics/redis_topics.h are
// backends; tests/topics/backend_test.cpp is a suite of what each must do.
//
// A backend numbers the messages of each topic, keeps the last ones, and passes each to all processes. It also keeps
// the members of topics. A process that has ended without leaving must no longer be counted after some time, so each
// process has a lease, which renew() extends.
//
// Threads: the functions may be called by several tasks at once; run() is called once at a time. Errors: any exception
// derived from std::exception. Topics passes those of publish(), history() and members() to its caller, and repeats the
// others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/topics/topic_position.h"
#include "runtime/task.h"

namespace volt::http {

struct TopicRecord {
  TopicPosition position;
  std::string data;  // any bytes
};

struct TopicHistory {
  TopicPosition last;                // of the last message that was published; sequence 0: none
  std::vector<TopicRecord> records;  // in ascending order, without gaps, up to `last`
};

// How much of a topic is kept, and for how long.
struct TopicLimits {
  std::size_t history_max = 64;
  std::chrono::seconds retention = std::chrono::minutes(5);
};

// Receives what the backend receives. Implemented by Topics.
class TopicSink {
 public:
  // Whether this process has subscribers of the topic. If not, the other functions ignore it.
  [[nodiscard]] virtual bool wants(const std::string& topic) const = 0;
  // A message of any process, this one included. The messages of a topic are delivered in order; repeated ones are
  // ignored, and missing ones are read with history().
  [[nodiscard]] virtual Task<> deliver(std::string topic, TopicRecord record) = 0;
  // Must be called when messages may have been missed: whenever the backend has connected.
  [[nodiscard]] virtual Task<> resume() = 0;
  // `member` has joined or left in all processes. `members`: number of members of the topic after it.
  virtual void announce(const std::string& topic, const std::string& member, bool joined, std::uint64_t members) = 0;

 protected:
  ~TopicSink() = default;
};

class TopicBackend {
 public:
  TopicBackend() = default;
  TopicBackend(const TopicBackend&) = delete;
  TopicBackend& operator=(const TopicBackend&) = delete;
  virtual ~TopicBackend() = default;

  // Passes to `sink` what arrives, until the task is cancelled. Calls resume() first, once nothing is missed any more.
  [[nodiscard]] virtual Task<> run(TopicSink& sink) = 0;
  // Numbers the message, keeps it and passes it to all processes. Returns its position.
  [[nodiscard]] virtual Task<TopicPosition> publish(std::string topic, std::string data, TopicLimits limits) = 0;
  // Returns the messages after number `after` that are kept.
  [[nodiscard]] virtual Task<TopicHistory> history(std::string topic, std::uint64_t after) = 0;

  // Records that a member is present in this process, or no longer. Announces it if the member is or was in no other
  // process. Repeated calls have no effect.
  [[nodiscard]] virtual Task<> join(std::string topic, std::string member) = 0;
  [[nodiscard]] virtual Task<> leave(std::string topic, std::string member) = 0;
  // Returns the members in all processes, each once, in ascending order.
  [[nodiscard]] virtual Task<std::vector<std::string>> members(std::string topic) = 0;
  // Extends the lease of this process, and removes the members of processes whose lease has expired. Returns false if
  // the lease of this process had expired: its members must join again. Called every lease_time() / 3.
  [[nodiscard]] virtual Task<bool> renew() = 0;
  [[nodiscard]] virtual std::chrono::milliseconds lease_time() const noexcept = 0;
};

}  // namespace volt::http
