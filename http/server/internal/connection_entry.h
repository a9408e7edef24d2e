// ConnectionEntry: what others may know of a connection: who it is, how many requests it has served, which route is
// under way. It also tells Traffic, where somebody measures: each request once, when it has ended.
//
// Threads: the members that say so may be called from any thread while the record is listed (ServerState); the rest belong to
// the connection's task. Lifetime: in the connection's frame, beside the io_channel.
//
// Edges
//   R1  set_open() comes after who the client is  ->  info() asks for that
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "http/message/method.h"
#include "http/message/status.h"
#include "http/server/internal/traffic.h"
#include "runtime/base/atomic.h"
#include "runtime/base/counter.h"
#include "runtime/tasks.h"

namespace volt::http::server {

class IoChannel;

struct ConnectionInfo {
  TaskId task = 0;
  std::string client;  // empty: not known yet, or gone
  std::chrono::nanoseconds age{0};
  std::uint64_t requests = 0;          // begun
  std::optional<std::uint32_t> route;  // of the request that is under way; its number as in Traffic
  bool open = false;                   // whatever precedes HTTP is done: a handshake, say
};

class ConnectionEntry {
 public:
  // `traffic` may be null.
  ConnectionEntry(IoChannel& io_channel, Traffic* traffic) noexcept;
  // A request that is under way has come to nothing.
  ~ConnectionEntry() { end_request(); }
  ConnectionEntry(const ConnectionEntry&) = delete;
  ConnectionEntry& operator=(const ConnectionEntry&) = delete;

  void set_open() noexcept { open_.store(true, base::release); }  // R1
  void begin_request(std::uint32_t route, Method method) noexcept;
  // The one that is under way, perhaps again if that answer could not be begun; or none, if its head could not be read.
  void answered(Status status) noexcept;
  // All of its answer has been handed over.
  void end_request() noexcept;

  // Any thread.
  [[nodiscard]] IoChannel& io_channel() const noexcept { return channel_; }
  [[nodiscard]] bool open() const noexcept { return open_.load(base::acquire); }  // R1
  [[nodiscard]] TaskId task() const noexcept { return task_; }
  // Of the request that is under way, or was last: what a worker that is stuck in this task is busy for.
  [[nodiscard]] std::optional<std::uint32_t> last_route() const noexcept;
  [[nodiscard]] ConnectionInfo info() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool under_way() const noexcept { return under_way_.load(base::relaxed); }  // relaxed: a report

  IoChannel& channel_;
  Traffic* const traffic_;
  const TaskId task_;
  const Clock::time_point opened_;
  base::Counter requests_;
  base::Atomic<std::uint32_t> route_{kNone};
  base::Atomic<bool> open_{false};
  base::Atomic<bool> under_way_{false};
  // Of the request under way, if somebody measures.
  Method method_ = Method::get;
  unsigned status_ = 0;  // 0: not answered
  Clock::time_point began_;
  Clock::time_point answered_;
};

}  // namespace volt::http::server
