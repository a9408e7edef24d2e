// SPDX-License-Identifier: MIT

// Listener: the connection of a subscription, and the task that serves and reconnects it.
//
// Threads: add(), remove() and stop() may be called from any thread. Lifetime: shared by its task and the Subscription.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "redis/internal/connector.h"
#include "redis/internal/link.h"
#include "redis/internal/statistics.h"
#include "redis/subscription.h"
#include "runtime/channel.h"
#include "runtime/oneshot.h"
#include "runtime/task.h"

namespace volt::redis::internal {

class Listener {
 public:
  Listener(std::shared_ptr<Connector> connector, std::shared_ptr<Statistics> statistics,
           const std::vector<std::string>& names, bool patterns);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Subscribes to channels, or to patterns. Errors: those of Pool::subscribe().
  static Task<Subscription> start(std::shared_ptr<Connector> connector, std::shared_ptr<Statistics> statistics,
                                  std::vector<std::string> names, bool patterns);

  void add(const std::string& name);
  void remove(const std::string& name);
  // Ends the connection for good.
  void stop() noexcept;

 private:
  using Ready = OneshotSender<std::string>;  // sends why the first attempt failed; empty if it succeeded

  static Task<> run(std::shared_ptr<Listener> listener, Sender<Message> out, Ready ready);
  // Receives until the connection ends; returns why. `confirmed`: receives whether all names were confirmed.
  [[nodiscard]] Task<std::string> serve(std::shared_ptr<Link> link, Sender<Message>& out, Ready* ready,
                                        bool& confirmed);
  [[nodiscard]] Task<std::string> take(Reply reply, Sender<Message>& out, std::size_t& unconfirmed);

  [[nodiscard]] std::size_t adopt(const std::shared_ptr<Link>& link);
  [[nodiscard]] bool stopped();
  void send(const char* verb, const std::string& name);

  const std::shared_ptr<Connector> connector_;
  const std::shared_ptr<Statistics> statistics_;
  const bool patterns_;
  std::mutex mutex_;
  std::set<std::string> names_;
  std::shared_ptr<Link> link_;  // null: not connected
  bool stopped_ = false;
};

}  // namespace volt::redis::internal
