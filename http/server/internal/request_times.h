// SPDX-License-Identifier: MIT

// RequestTimes: when a connection's current request arrived, when its handler began, and when its response was ready.
// They divide the time of a request into phases:
//
//   queue     from its arrival until its handler begins: the wait for a worker, for earlier requests of the connection,
//             and for a turn of heavy work
//   receive   the waits for bytes of its body
//   handler   from the begin of the handler, or of the first middleware, until the response is ready, without `receive`
//   send      until the kernel has taken the last byte; of a streamed response, the production of its body as well
//
// A request arrives when a worker collects the event for the last bytes of its head. A worker that is busy may collect
// it late; a stuck one is rescued (runtime/sched/watchdog.h). A request that was received while an earlier one of its
// connection was served counts as arrived with the bytes that were read last, or when the last response was sent.
//
// The clock is read when a handler begins and when a response is ready. The arrival is known to the scheduler. Neither
// is done for plain functions without middleware if no ops server observes the server.
//
// Threads: those of the connection's task. Lifetime: in the ConnectionEntry.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace volt::http::server {

enum class Phase : std::uint8_t { queue, receive, handler, send };
inline constexpr std::size_t kPhaseCount = 4;

struct RequestPhases {
  std::chrono::nanoseconds queue{0};
  std::chrono::nanoseconds receive{0};
  std::chrono::nanoseconds handler{0};
  std::chrono::nanoseconds send{0};

  [[nodiscard]] std::chrono::nanoseconds total() const noexcept { return queue + receive + handler + send; }
};

class RequestTimes {
 public:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;

  // Notes that bytes were read, which were there since `since`.
  void note_read(TimePoint since) noexcept { read_ = std::max(since, sent_); }
  // Begins a request, whose handler begins as well. The handler's begin is measured only if `measures`.
  void begin(bool measures) noexcept {
    arrived_ = read_;
    began_ = measures ? Clock::now() : TimePoint();
    answered_ = {};
    receive_ = {};
    receive_from_ = {};
    handled_ = true;
  }
  // Notes that the handler begins only now.
  void begin_handler() noexcept {
    if (measured()) began_ = Clock::now();
  }
  // Notes that no handler is called.
  void refuse() noexcept {
    end_receive(Clock::now());
    handled_ = false;
  }
  // Mark the begin and the end of a wait for the body.
  void begin_receive() noexcept {
    if (measured()) receive_from_ = Clock::now();
  }
  void end_receive(TimePoint at) noexcept {
    const TimePoint from = std::exchange(receive_from_, TimePoint());
    if (from == TimePoint() || at <= from) return;
    receive_ += at - from;
    arrived_ += at - from;
    began_ += at - from;
  }
  // Notes that the response is ready. Its time is measured if that of the handler was, or if `measures`.
  void answer(bool measures) noexcept {
    if (measures || measured()) answered_ = Clock::now();
  }
  void note_sent(TimePoint at) noexcept { sent_ = at; }

  // Returns for how long a measured request has lasted: until the response was sent, or is ready, or else until now.
  [[nodiscard]] std::chrono::nanoseconds lasted() const noexcept { return last() - arrived_ + receive_; }
  // Returns when the response was sent, or was ready, or else the present time.
  [[nodiscard]] TimePoint last() const noexcept {
    return answered_ == TimePoint() ? Clock::now() : std::max(answered_, sent_);
  }

  [[nodiscard]] bool measured() const noexcept { return began_ != TimePoint(); }
  [[nodiscard]] bool handled() const noexcept { return handled_; }
  [[nodiscard]] TimePoint began() const noexcept { return began_; }
  [[nodiscard]] TimePoint answered() const noexcept { return answered_; }

  // Returns the phases of a request that ended at `until`. Of a request that is not measured, only `send` is known.
  [[nodiscard]] RequestPhases phases(TimePoint until) const noexcept {
    const bool has_response = answered_ != TimePoint();
    const TimePoint ready = has_response ? answered_ : until;
    RequestPhases phases{.send = has_response ? positive(until - ready) : std::chrono::nanoseconds(0)};
    if (!measured()) return phases;
    phases.queue = positive((handled_ ? began_ : ready) - arrived_);
    phases.receive = receive_;
    if (handled_) phases.handler = positive(ready - began_);
    return phases;
  }

 private:
  // The event of a task may be newer than the time of the tick in which the task runs.
  [[nodiscard]] static std::chrono::nanoseconds positive(std::chrono::nanoseconds duration) noexcept {
    return std::max(duration, std::chrono::nanoseconds(0));
  }

  TimePoint read_;          // since when the bytes that were read last were there
  TimePoint arrived_;       // later by the waits for the body, as began_ is
  TimePoint began_;         // of the handler; zero: not measured
  TimePoint answered_;      // zero: there is no response yet, or it is not measured
  TimePoint sent_;          // when the kernel had taken all responses
  TimePoint receive_from_;  // begin of the present wait for the body; zero: there is none
  std::chrono::nanoseconds receive_{0};
  bool handled_ = true;
};

}  // namespace volt::http::server
