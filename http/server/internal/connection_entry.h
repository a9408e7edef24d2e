// SPDX-License-Identifier: MIT

// ConnectionEntry: the facts about a connection that other threads may read: its client, the number of its requests,
// and four facts about its current request: the route, the method, the start time and the id. It keeps these facts, and
// the end, of its last request that took long as well: when the watchdog reports a stall, the request that caused it
// may have ended, and another one begun. If the server measures requests, the entry also records each request in
// Traffic when the request has ended.
//
// Threads: members that say so may be called from any thread while the entry is listed (ServerState); the others belong
// to the connection's task. Lifetime: in the Connection, next to its IoChannel.
//
// Edges
//   R1  set_open() comes after the client's address is known  ->  info() reads that address
//   R2  a change publishes facts  ->  request_during() : if it has read a fact of a change, its second read of
//       `changes_` sees at least the odd value with which that change began
//   R3  the end of a change is published  ->  request_during() : the facts that it reads next are not older
//   R4  the end of a request is published after its time  ->  request_during() reads that time
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/method.h"
#include "http/message/status.h"
#include "http/server/internal/request_times.h"
#include "http/server/internal/traffic.h"
#include "runtime/base/atomic.h"
#include "runtime/base/counter.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/tasks.h"

namespace volt::http {
class Request;
}

namespace volt::http::server {

class IoChannel;

struct ConnectionInfo {
  TaskId task = 0;
  std::string client;  // empty: not known yet
  std::chrono::nanoseconds age{0};
  std::uint64_t requests = 0;          // number of requests that have begun
  std::optional<std::uint32_t> route;  // number of the current request's route, as in Traffic
  bool open = false;                   // the preamble (PROXY header, handshake) has ended, if there is any
};

// A request that a connection's task has run for some time.
struct RunningRequest {
  std::uint32_t route = 0;  // as in Traffic
  Method method = Method::get;
  std::string id;  // empty: it was given none
};

// A request, and the time that it took.
struct TimedRequest {
  RunningRequest request;
  std::chrono::steady_clock::time_point began;
  std::chrono::steady_clock::time_point ended;  // now, if it is in progress

  // Returns whether it took at least half of `charged`, a part of this time: the rest of the time, in which it was not
  // in progress, is too short for more than the other half.
  [[nodiscard]] bool took_most_of(std::chrono::nanoseconds charged, std::chrono::steady_clock::time_point from,
                                  std::chrono::steady_clock::time_point until) const noexcept {
    const auto in_progress = std::min(ended, until) - std::max(began, from);
    return (until - from - in_progress) * 2 <= charged;
  }
};

// As a ListNode, an entry is in ServerState's list of lingering connections.
class ConnectionEntry : public base::ListNode {
 public:
  // `traffic` may be null.
  ConnectionEntry(IoChannel& io_channel, Traffic* traffic) noexcept;
  // Records a request that is still in progress as ended without a response.
  ~ConnectionEntry();
  ConnectionEntry(const ConnectionEntry&) = delete;
  ConnectionEntry& operator=(const ConnectionEntry&) = delete;

  void set_open() noexcept { open_.store(true, base::release); }  // R1
  // Begins a request. Its times are measured if the server measures requests, or if `measures`.
  void begin_request(std::uint32_t route, Method method, bool measures) noexcept;
  // Whether no request began before the current one.
  [[nodiscard]] bool is_first_request() const noexcept { return requests_.value() <= 1; }
  // The times of the current request, or of the last one.
  [[nodiscard]] RequestTimes& times() noexcept { return times_; }
  // Sets the id of the current request, of which the first kIdBytesMax bytes are kept. Without memory it is not kept.
  void note_request_id(std::string_view id) noexcept;
  // Sets the status of the response to the current request, and the time at which it was ready if the request's times
  // are measured or if `measures`; a later call replaces both. If there is no current request, records a request whose
  // head could not be read.
  void answered(Status status, bool measures = false) noexcept;
  // Must be called when the whole response has been composed. Further calls do nothing.
  void end_request() noexcept;
  // Returns whether the current request is, so far, one of the slowest of the last minute, and is not listed yet.
  [[nodiscard]] bool is_slow() const noexcept {
    return traffic_ != nullptr && !is_listed_ && traffic_->slow_requests.takes(times_.lasted(), times_.last());
  }
  // Lists the current request among the slowest. Without memory it is not listed.
  void note_slow(const Request& request, ExchangeOutcome outcome, const RequestPhases& phases) noexcept;

  // Returns true if the connection must linger no longer.
  [[nodiscard]] bool linger_ended() const noexcept { return linger_ended_.load(base::relaxed); }  // relaxed: a flag

  // Tells a connection that lingers to close, and ends its wait for data. If its wait has not begun yet, the connection
  // closes only after the wait. May be called by any thread.
  void end_linger() noexcept;
  [[nodiscard]] IoChannel& io_channel() const noexcept { return channel_; }
  [[nodiscard]] bool open() const noexcept { return open_.load(base::acquire); }  // R1
  [[nodiscard]] TaskId task() const noexcept { return task_; }
  using Clock = std::chrono::steady_clock;
  // Returns the request on which the connection's task spent at least half of `charged`, a part of the time from `from`
  // until `until`. In the rest of that time the thread waited for a processor. Nothing if it is not certain that there
  // is such a request: one turn of the task may serve several, and the thread may have waited in any of them. Nothing
  // if requests are not measured. Throws std::bad_alloc.
  [[nodiscard]] std::optional<RunningRequest> request_during(Clock::time_point from, Clock::time_point until,
                                                             std::chrono::nanoseconds charged) const;
  // Returns the last request that took long. Must be called by the connection's task. Throws std::bad_alloc.
  [[nodiscard]] std::optional<TimedRequest> last_long_request() const;
  [[nodiscard]] ConnectionInfo info() const;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kIdBytesMax = 128;  // as many as request_id() accepts
  struct Id {
    base::Atomic<std::uint32_t> size{0};
    std::array<base::Atomic<std::uint64_t>, kIdBytesMax / sizeof(std::uint64_t)> words{};
  };
  struct Ended {
    base::Atomic<std::uint32_t> route{kNone};
    base::Atomic<Method> method{Method::get};
    base::Atomic<Clock::time_point> began;
    base::Atomic<Clock::time_point> ended;
    Id id;
  };

  // Enclose a change of the facts about the current request.
  void begin_change() noexcept;
  void end_change() noexcept;
  void keep_long_request(Clock::time_point ended) noexcept;
  [[nodiscard]] static std::string text_of(const Id* id);
  // Return the current request, and the last long one, as they are at the moment: the reader checks that no change has
  // taken place.
  [[nodiscard]] TimedRequest current_request(Clock::time_point now) const;
  [[nodiscard]] TimedRequest long_request() const;
  [[nodiscard]] std::optional<std::uint32_t> last_route() const noexcept;
  [[nodiscard]] bool under_way() const noexcept { return under_way_.load(base::relaxed); }  // relaxed: a report

  IoChannel& channel_;
  Traffic* const traffic_;
  const TaskId task_;
  const Clock::time_point opened_;
  base::Counter requests_;
  base::Atomic<std::uint32_t> route_{kNone};
  base::Atomic<bool> open_{false};
  base::Atomic<bool> under_way_{false};
  base::Atomic<bool> linger_ended_{false};
  // The current request; used only if requests are measured.
  base::Atomic<std::uint32_t> changes_{0};  // odd during a change of the facts
  base::Atomic<Method> method_{Method::get};
  base::Atomic<Clock::time_point> began_;
  base::Atomic<Clock::time_point> ended_;  // valid if no request is in progress
  base::Atomic<Id*> id_{nullptr};          // owned; made for the first request that gets an id
  base::Atomic<Ended*> long_{nullptr};     // owned; made for the first request that takes long
  unsigned status_ = 0;                    // 0: no response yet
  bool is_listed_ = false;                 // among the slowest
  RequestTimes times_;
};

}  // namespace volt::http::server
