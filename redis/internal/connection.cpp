// SPDX-License-Identifier: MIT

#include "redis/internal/connection.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "runtime/per_worker.h"
#include "runtime/spawn.h"

namespace volt::redis::internal {

Connection::Connection(std::shared_ptr<Link> link, const PoolOptions& options)
    : command_timeout_(options.command_timeout),
      idle_timeout_(options.idle_timeout),
      link_(std::move(link)),
      used_at_(coarse_now()),
      received_at_(coarse_now()) {}

bool Connection::send(std::string_view bytes, std::size_t commands, database::Lease& lease,
                      OneshotSender<Outcome>& outcome) {
  const std::scoped_lock lock(mutex_);
  if (ended_) return false;
  used_at_ = coarse_now();
  // `pending_` must have an entry for each command that was sent, and no other: replies are told apart by their order.
  std::vector<Reply> replies;
  replies.reserve(commands);
  pending_.emplace_back(commands, std::move(replies), database::Lease(), OneshotSender<Outcome>(), used_at_);
  try {
    link_->send(bytes);  // under the lock, so that commands and pending_ have the same order
  } catch (...) {        // decided: nothing was sent; the caller hears of it
    pending_.pop_back();
    throw;
  }
  pending_.back().lease = std::move(lease);
  pending_.back().outcome = std::move(outcome);
  return true;
}

Task<> Connection::serve(std::function<bool()> may_leave) {
  const std::chrono::nanoseconds check_after = std::min(command_timeout_, idle_timeout_);
  spawn(Link::write, link_).detach();
  std::vector<Reply> replies;
  for (;;) {
    const Received received = co_await link_->receive(replies, check_after);
    if (!take(replies)) {
      reason_ = "the server sent a reply without a command";
      co_return;
    }
    switch (received) {
      case Received::replies:
        break;
      case Received::nothing:
        if (overdue()) {
          reason_ = "the server did not answer in time";
          gave_up_at_ = coarse_now();
          co_return;
        }
        if (unused_for_long() && may_leave()) co_return;
        break;
      case Received::end:
        reason_ = link_->failure();
        co_return;
    }
  }
}

// Gives the replies to the commands that they belong to. Returns false if there are more replies than commands.
bool Connection::take(std::vector<Reply>& replies) {
  if (replies.empty()) return true;
  std::vector<Pending> complete;
  bool all = true;
  {
    const std::scoped_lock lock(mutex_);
    received_at_ = coarse_now();
    for (Reply& reply : replies) {
      all = !pending_.empty();
      if (!all) break;
      Pending& first = pending_.front();
      first.replies.push_back(std::move(reply));
      if (first.replies.size() != first.commands) continue;
      complete.push_back(std::move(first));
      pending_.pop_front();
    }
  }
  replies.clear();
  // Without the lock: a lease passes its place to the next waiter, and a woken task may run at once.
  for (Pending& one : complete) {
    {
      const database::Lease returned = std::move(one.lease);
    }
    std::move(one.outcome).send(std::move(one.replies));
  }
  return all;
}

// Returns whether a reply is due for so long that the task which waits for it has given up, and none has arrived
// during that time.
bool Connection::overdue() {
  const std::scoped_lock lock(mutex_);
  if (pending_.empty()) return false;
  return coarse_now() - std::max(pending_.front().sent_at, received_at_) >= 2 * command_timeout_;
}

bool Connection::unused_for_long() {
  const std::scoped_lock lock(mutex_);
  return pending_.empty() && coarse_now() - used_at_ >= idle_timeout_;
}

void Connection::end() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  link_->close();
  while (std::optional<Pending> lost = take_first()) fail(*std::move(lost));
}

// Takes one entry at a time, because a second queue would have to be allocated.
std::optional<Connection::Pending> Connection::take_first() noexcept {
  const std::scoped_lock lock(mutex_);
  if (pending_.empty()) return std::nullopt;
  std::optional<Pending> first(std::move(pending_.front()));
  pending_.pop_front();
  return first;
}

void Connection::fail(Pending lost) const noexcept {
  {
    const database::Lease returned = std::move(lost.lease);
  }
  Loss loss;
  loss.timed_out = gave_up_at_ - lost.sent_at >= command_timeout_;
  try {
    loss.reason = reason_;
  } catch (const std::bad_alloc&) {  // decided: this text is so short that it needs no memory
    loss.reason = "no memory";
  }
  std::move(lost.outcome).send(std::unexpected(std::move(loss)));
}

}  // namespace volt::redis::internal
