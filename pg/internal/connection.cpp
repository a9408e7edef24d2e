// SPDX-License-Identifier: MIT

#include "pg/internal/connection.h"

#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "pg/internal/cork.h"
#include "runtime/blocking.h"
#include "runtime/per_worker.h"
#include "runtime/select.h"
#include "runtime/spawn.h"
#include "runtime/time.h"

namespace volt::pg::internal {

Connection::Connection(Connected connected, const PoolOptions& options)
    : idle_timeout_(options.idle_timeout),
      drain_timeout_(options.drain_timeout),
      query_timeout_(options.query_timeout),
      socket_(std::move(connected.socket)),
      pipeline_(std::move(connected.handle), options.statements_max),
      used_at_(coarse_now()) {}

bool Connection::send(std::span<const Query> queries, const std::shared_ptr<Reply>& reply) {
  const std::scoped_lock lock(mutex_);
  if (ended_) return false;
  used_at_ = coarse_now();
  bool sent = true;
#ifndef LIBPQ_HAS_SEND_PIPELINE_SYNC
  std::optional<Cork> cork;  // combines the writes that libpq makes at each Sync
  if (queries.size() > 1) cork.emplace(PQsocket(pipeline_.handle()));
#endif
  for (std::size_t index = 0; index != queries.size(); ++index) {
    try {
      // Continues after a failure, so that the replies of all queries are in the pipeline and serve() completes them.
      sent = pipeline_.send(queries[index], reply, index) && sent;
    } catch (const std::bad_alloc&) {  // decided: the queries before this one may be unsent, so it ends; then rethrown
      if (index != 0) close();
      throw;
    }
  }
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC
  unsent_ = true;
#else
  const Flushed flushed = pipeline_.flush();  // the Syncs were already written
  unsent_ = flushed == Flushed::partly;
  sent = sent && flushed != Flushed::failed;
#endif
  if (!sent) close();
  if (unsent_) work_.notify_one();
  // Last, because a task that waits for a transaction may get this connection. Under mutex_, because the reply may
  // arrive at once and end the lease. What set_sent() does to other leases and tasks takes no mutex_ in this thread.
  if (sent && reply->lease) reply->lease->set_sent();
  return true;
}

void Connection::abandon(Reply& reply) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (reply.missing == 0) return;
    reply.abandoned = true;
    ++abandonments_;
    pipeline_.abandon(reply);
    if (reply.lease) reply.lease->close_to_others();
  }
  work_.notify_one();
}

bool Connection::ended() {
  const std::scoped_lock lock(mutex_);
  return ended_;
}

// --- receive ---------------------------------------------------------------------------------------------------------

Task<> Connection::serve(std::function<bool()> may_leave) {
  spawn(write, shared_from_this()).detach();
  for (;;) {
    socket_.set_read_deadline_in(idle_timeout_);
    const Result<void> ready = co_await socket_.readable();
    if (ready) {
      Received received = receive();
      while (received == Received::paused) {
        co_await copy_resume_.notified();
        received = receive();  // at once: the reactor reports only data that arrives later
      }
      if (received == Received::end || (received == Received::outgrown && may_leave())) co_return;
    } else if (ready.error() != std::errc::timed_out || (unused_for_long() && may_leave())) {
      co_return;
    }
  }
}

Connection::Received Connection::receive() {
  CompleteReplies complete;  // outlives the lock
  bool alive = false;
  bool paused = false;
  bool outgrown = false;
  {
    const std::scoped_lock lock(mutex_);
    if (copy_ != nullptr && copy_->phase != CopyExchange::Phase::done) {
      alive = receive_copy_locked();
      paused = copy_->unread;
    } else if (copy_ == nullptr || !copy_->lost) {
      alive = pipeline_.receive(complete);
    }
    outgrown = pipeline_.outgrown();
  }
  if (!alive) return Received::end;
  if (paused) return Received::paused;
  return outgrown ? Received::outgrown : Received::all;
}

bool Connection::unused_for_long() {
  const std::scoped_lock lock(mutex_);
  return pipeline_.idle() && coarse_now() - used_at_ >= idle_timeout_;
}

void Connection::end() noexcept {
  CompleteReplies complete;  // outlives the lock
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    pipeline_.fail_all(complete);
    if (copy_ != nullptr) copy_->lose("the connection was closed");
  }
  close();  // libpq has closed its own descriptor only; write() may wait for the duplicate
  work_.notify_one();
}

// --- write -----------------------------------------------------------------------------------------------------------

Task<> Connection::write(std::shared_ptr<Connection> connection) {
  struct Ending {
    Connection& connection;
    ~Ending() { connection.close(); }  // also if memory lacks: without this task no query would be sent
  } const ending{*connection};
  while (!connection->ended()) {
    co_await connection->work_.notified();
    if (connection->take_unsent()) co_await connection->flush_all();
    for (auto count = connection->only_abandoned(); count; count = connection->only_abandoned()) {
      auto woken = co_await select(connection->work_.notified(), sleep_for(connection->drain_timeout_));
      if (connection->take_unsent()) co_await connection->flush_all();
      if (woken.index() == 1) connection->stop_abandoned(*count);
    }
  }
  co_await connection->request_cancel();
}

void Connection::stop_abandoned(std::uint64_t count) {
  const std::scoped_lock lock(mutex_);
  if (pipeline_.has_only_abandoned() && abandonments_ == count) stop_server_locked();
}

bool Connection::take_unsent() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(unsent_, false);
}

Flushed Connection::flush() {
  const std::scoped_lock lock(mutex_);
  if (ended_) return Flushed::failed;
  const Flushed flushed = pipeline_.flush();
  if (flushed == Flushed::all && copy_ != nullptr && std::exchange(copy_->unflushed, false)) {
    copy_->changed.notify_one();
  }
  return flushed;
}

Task<> Connection::flush_all() {
  co_await yield();  // lets other runnable tasks add their queries
  static_cast<void>(take_unsent());
  Flushed flushed = flush();
  while (flushed == Flushed::partly) {
    socket_.set_write_deadline_in(query_timeout_);
    const Result<void> ready = co_await socket_.writable();
    flushed = ready ? flush() : Flushed::failed;
  }
  if (flushed == Flushed::failed) close();
}

std::optional<std::uint64_t> Connection::only_abandoned() {
  const std::scoped_lock lock(mutex_);
  return pipeline_.has_only_abandoned() ? std::optional(abandonments_) : std::nullopt;
}

void Connection::stop_server_locked() noexcept {
  if (ended_) return;
  cancel_.reset(PQgetCancel(pipeline_.handle()));
  close();
}

Task<> Connection::request_cancel() {
  CancelHandle cancel;
  {
    const std::scoped_lock lock(mutex_);
    cancel = std::move(cancel_);
  }
  if (cancel == nullptr) co_return;
  const auto ask = [&cancel] {
    char reason[256];
    return PQcancel(cancel.get(), reason, sizeof reason);
  };
  static_cast<void>(co_await blocking(ask));  // a failure is ignored, because the connection is closed in any case
}

}  // namespace volt::pg::internal
