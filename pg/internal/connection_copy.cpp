// SPDX-License-Identifier: MIT

// The part of Connection that copies.
#include <utility>

#include "pg/error.h"
#include "pg/internal/connection.h"
#include "runtime/per_worker.h"
#include "runtime/select.h"
#include "runtime/time.h"

namespace volt::pg::internal {
namespace {

using Phase = CopyExchange::Phase;

// Closes the connection if a part of a COPY does not come to its end, because the task was cancelled.
class CopyStep {
 public:
  CopyStep(Connection& connection, CopyExchange& copy) noexcept : connection_(connection), copy_(copy) {}
  ~CopyStep() {
    if (!completed) connection_.abandon_copy(copy_);
  }
  CopyStep(const CopyStep&) = delete;
  CopyStep& operator=(const CopyStep&) = delete;
  bool completed = false;

 private:
  Connection& connection_;
  CopyExchange& copy_;
};

}  // namespace

bool Connection::receive_copy_locked() {
  PGconn* const handle = pipeline_.handle();
  bool arrives = has_unread(PQsocket(handle));
  do {
    // The TLS library may hold the rest of a record, of which the first call has consumed a part.
    const bool encrypted = PQsslInUse(handle) != 0 || PQgssEncInUse(handle) != 0;
    const bool alive = PQconsumeInput(handle) == 1 && (!encrypted || PQconsumeInput(handle) == 1);
    if (!copy_->take_results(handle) || !alive) {
      lose_copy_locked();
      return false;
    }
    if (arrives) copy_->arrived();
    arrives = !copy_->unread && has_unread(PQsocket(handle));
  } while (arrives);
  copy_->changed.notify_one();
  return true;
}

bool Connection::copying() {
  const std::scoped_lock lock(mutex_);
  return copy_ != nullptr && copy_->phase != Phase::done;
}

void Connection::abandon_copy(CopyExchange& copy) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (copy.phase == Phase::done) return;
    copy.lose("the COPY was left before its end");
    stop_server_locked();
  }
  copy_resume_.notify_one();  // serve() may wait for the task that copies
}

bool Connection::abandon_any_copy() noexcept {
  std::shared_ptr<CopyExchange> copy;
  {
    const std::scoped_lock lock(mutex_);
    if (copy_ == nullptr || copy_->phase == Phase::done) return false;
    copy = copy_;
  }
  abandon_copy(*copy);
  return true;
}

Task<> Connection::copy_changed(std::shared_ptr<CopyExchange> copy) {
  auto woken = co_await select(copy->changed.notified(), sleep_for(query_timeout_));
  if (woken.index() == 0) co_return;
  abandon_copy(*copy);
  throw QueryTimeout("the COPY made no progress in time");
}

Task<std::shared_ptr<CopyExchange>> Connection::begin_copy(std::string statement, CopyDirection direction) {
  const auto copy = std::make_shared<CopyExchange>(direction);
  {
    const std::scoped_lock lock(mutex_);
    if (ended_) throw ConnectionLost("the transaction's connection was lost");
    if (!pipeline_.idle()) throw Error("earlier queries of the transaction are in progress: await them before a COPY");
    used_at_ = coarse_now();
    copy_ = copy;
    if (!copy->begin(pipeline_.handle(), statement)) lose_copy_locked();
    unsent_ = true;
  }
  work_.notify_one();
  CopyStep step(*this, *copy);
  while (copy_phase(*copy) < CopyExchange::Phase::copying) co_await copy_changed(copy);
  step.completed = true;
  throw_failure(*copy);
  co_return copy;
}

Task<> Connection::put_copy_data(std::shared_ptr<CopyExchange> copy, std::string_view bytes) {
  CopyStep step(*this, *copy);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, CopyExchange::kPieceBytes);
    bytes.remove_prefix(piece.size());
    if (!put_piece(*copy, piece)) break;
    while (copy_unflushed(*copy)) co_await copy_changed(copy);
  }
  step.completed = true;
  throw_failure(*copy);
}

bool Connection::put_piece(CopyExchange& copy, std::string_view piece) {
  const std::scoped_lock lock(mutex_);
  if (copy.phase != Phase::copying) return false;
  if (!copy.put(pipeline_.handle(), piece.data(), piece.size())) {
    lose_copy_locked();
    return false;
  }
  flush_copy_locked(copy);
  return true;
}

Task<std::uint64_t> Connection::end_copy(std::shared_ptr<CopyExchange> copy) {
  CopyStep step(*this, *copy);
  {
    const std::scoped_lock lock(mutex_);
    if (copy->phase == Phase::copying) {
      if (copy->put_end(pipeline_.handle())) {
        flush_copy_locked(*copy);
      } else {
        lose_copy_locked();
      }
    }
  }
  while (copy_phase(*copy) != Phase::done) co_await copy_changed(copy);
  step.completed = true;
  throw_failure(*copy);
  co_return copy->rows;
}

Task<bool> Connection::get_copy_data(std::shared_ptr<CopyExchange> copy, std::string& into) {
  CopyStep step(*this, *copy);
  Phase phase = get_piece(*copy, into);
  while (into.empty() && phase != Phase::done) {
    co_await copy_changed(copy);
    phase = get_piece(*copy, into);
  }
  step.completed = true;
  if (into.empty()) throw_failure(*copy);
  co_return !into.empty();
}

CopyExchange::Phase Connection::get_piece(CopyExchange& copy, std::string& into) {
  {
    const std::scoped_lock lock(mutex_);
    if (copy.phase == Phase::copying && !copy.get(pipeline_.handle(), into)) lose_copy_locked();
    if (copy.unread) return copy.phase;
  }
  copy_resume_.notify_one();
  return copy_phase(copy);
}

CopyExchange::Phase Connection::copy_phase(const CopyExchange& copy) {
  const std::scoped_lock lock(mutex_);
  return copy.phase;
}

bool Connection::copy_unflushed(const CopyExchange& copy) {
  const std::scoped_lock lock(mutex_);
  return copy.unflushed;
}

// Throws why a COPY has failed, if it has.
void Connection::throw_failure(const CopyExchange& copy) {
  std::exception_ptr error;
  {
    const std::scoped_lock lock(mutex_);
    error = copy.error;
  }
  if (error) std::rethrow_exception(error);
}

// Flushes what was sent, or lets write() do it.
void Connection::flush_copy_locked(CopyExchange& copy) {
  switch (pipeline_.flush()) {
    case Flushed::all:
      return;
    case Flushed::partly:
      copy.unflushed = true;
      unsent_ = true;
      work_.notify_one();
      return;
    case Flushed::failed:
      lose_copy_locked();
      return;
  }
}

// The connection cannot be used any more: its end fails the COPY.
void Connection::lose_copy_locked() {
  copy_->lose(sentence(PQerrorMessage(pipeline_.handle())));
  close();
}

}  // namespace volt::pg::internal
