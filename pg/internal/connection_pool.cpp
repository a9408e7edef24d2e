// SPDX-License-Identifier: MIT

#include "pg/internal/connection_pool.h"

#include <algorithm>
#include <utility>

#include "pg/error.h"
#include "runtime/per_worker.h"
#include "runtime/select.h"
#include "runtime/spawn.h"
#include "runtime/time.h"

namespace volt::pg::internal {

namespace {

// Must be called without the lock: a lease whose task no longer waits is destroyed here, and its destructor takes the
// lock.
template <class Grants>
void hand_out(Grants& grants) {
  for (auto& grant : grants) std::move(grant.sender).send(std::move(grant.granted));
}

}  // namespace

Lease::~Lease() {
  if (slots_ != nullptr) slots_->give_back(connection_, share_);
}

void Lease::close_to_others() const { slots_->close_to_others(*connection_); }

// --- leases ----------------------------------------------------------------------------------------------------------

std::optional<Lease> ConnectionPool::try_acquire(Share share) {
  const std::scoped_lock lock(mutex_);
  if (!waiting_.empty()) return std::nullopt;
  return take_locked(share);
}

Task<Lease> ConnectionPool::acquire(Share share) {
  const auto began = std::chrono::steady_clock::now();
  OneshotReceiver<Granted> receiver = wait_in_line(share);
  auto chosen = co_await select(receiver.receive(), sleep_for(options_.acquire_timeout));
  statistics_.record_wait(std::chrono::steady_clock::now() - began);
  if (chosen.index() == 1) {
    statistics_.count(PoolError::acquire_timeout);
    throw Unavailable("no connection was free in time");
  }
  std::optional<Granted> granted = std::get<0>(std::move(chosen));
  if (auto* error = std::get_if<std::exception_ptr>(&*granted)) std::rethrow_exception(*error);
  co_return std::get<Lease>(*std::move(granted));
}

OneshotReceiver<ConnectionPool::Granted> ConnectionPool::wait_in_line(Share share) {
  auto [sender, receiver] = oneshot<Granted>();
  Grants grants;
  {
    const std::scoped_lock lock(mutex_);
    drop_closed_waiters_locked();
    if (waiting_.size() >= options_.waiting_max) {
      statistics_.count(PoolError::queue_full);
      throw Unavailable("too many tasks wait for a connection");
    }
    waiting_.push_back({share, std::move(sender)});
    serve_locked(grants);  // a connection may have room since try_acquire()
    if (hopeless_locked()) refuse_all_locked(grants);
  }
  hand_out(grants);
  return std::move(receiver);
}

// Returns the slot at which the calling worker begins its search for a connection. The slots of different workers are
// far from each other (multiples of the golden ratio), so each worker tends to use its own connections.
std::size_t ConnectionPool::first_slot() const noexcept {
  return std::uint64_t{this_worker() * 2654435769U} * slots_.size() >> 32;
}

std::optional<Lease> ConnectionPool::take_locked(Share share) {
  Slot* best = nullptr;
  const std::size_t first = first_slot();
  for (std::size_t step = 0; step != slots_.size(); ++step) {
    Slot& slot = slots_[(first + step) % slots_.size()];
    if (slot.connection == nullptr || slot.exclusive || slot.closed_to_others) continue;
    if (slot.users >= options_.pipeline_max || (best != nullptr && slot.users >= best->users)) continue;
    best = &slot;
    if (slot.users == 0) break;
  }
  if (best == nullptr || best->users != 0) open_another_locked();
  if (best == nullptr) return std::nullopt;
  ++best->users;
  best->exclusive = share == Share::exclusive;
  return Lease(shared_from_this(), best->connection, share);
}

// Starts to open a connection, unless enough are being opened: one for each waiter, or, without waiters, one for the
// task that now has to share a busy connection.
void ConnectionPool::open_another_locked() {
  if (closed_ || connecting_ >= std::max<std::size_t>(1, waiting_.size()) || coarse_now() < retry_at_) return;
  const auto empty =
      std::ranges::find_if(slots_, [](const Slot& slot) { return slot.connection == nullptr && !slot.connecting; });
  if (empty == slots_.end()) return;
  empty->connecting = true;
  ++connecting_;
  const auto index = static_cast<std::size_t>(empty - slots_.begin());
  spawn(run, shared_from_this(), index).detach();
}

bool ConnectionPool::hopeless_locked() const noexcept { return connecting_ == 0 && !has_connection_locked(); }

bool ConnectionPool::has_connection_locked() const noexcept {
  return std::ranges::any_of(slots_, [](const Slot& slot) { return slot.connection != nullptr; });
}

std::exception_ptr ConnectionPool::why_unavailable_locked() const {
  return std::make_exception_ptr(Unavailable(closed_ ? "the pool is closed" : last_failure_));
}

// --- waiters ---------------------------------------------------------------------------------------------------------

void ConnectionPool::serve_locked(Grants& grants) {
  while (!waiting_.empty()) {
    Waiter& first = waiting_.front();
    if (!first.sender.closed()) {
      std::optional<Lease> lease = take_locked(first.share);
      if (!lease) return;
      grants.push_back({std::move(first.sender), *std::move(lease)});
    }
    waiting_.pop_front();
  }
}

// Removes waiters whose tasks no longer wait from the front of the queue. All waits have the same limit, so the waits
// that timed out are at the front. A cancelled wait may be behind others; it is removed after them.
void ConnectionPool::drop_closed_waiters_locked() {
  while (!waiting_.empty() && waiting_.front().sender.closed()) waiting_.pop_front();
}

void ConnectionPool::refuse_all_locked(Grants& grants) {
  for (Waiter& waiter : waiting_) grants.push_back({std::move(waiter.sender), why_unavailable_locked()});
  waiting_.clear();
}

// --- connections -----------------------------------------------------------------------------------------------------

Task<> ConnectionPool::run(std::shared_ptr<ConnectionPool> pool, std::size_t index) {
  struct Leaving {
    ConnectionPool& pool;
    std::size_t index;
    std::string reason = "the runtime is stopping";
    bool by_cancel = true;
    std::shared_ptr<Connection> connection = nullptr;  // null: not connected yet
    ~Leaving() {
      if (connection == nullptr) {
        pool.failed(index, std::move(reason), by_cancel);
      } else {
        pool.ended(index);  // first, so that no further lease is given on it
        connection->end();
      }
    }
  } leaving{*pool, index};
  std::string database;
  try {
    Connected made = co_await connect(pool->options_);
    database = database_of(made);
    leaving.connection = std::make_shared<Connection>(std::move(made), pool->options_);
  } catch (const std::exception& error) {  // decided: the reason goes to the waiters
    leaving.reason = error.what();
    leaving.by_cancel = false;
    co_return;
  }
  spawn(Connection::write, leaving.connection).detach();
  pool->connected(index, leaving.connection, database);
  std::function<bool()> may_leave = [&pool = *pool, index] { return pool.retire(index); };
  co_await Connection::read(leaving.connection, std::move(may_leave));
}

void ConnectionPool::connected(std::size_t index, std::shared_ptr<Connection> connection, const std::string& database) {
  Grants grants;
  Reachability::Change change;
  bool closed = false;
  {
    const std::scoped_lock lock(mutex_);
    slots_[index].connection = connection;
    slots_[index].connecting = false;
    --connecting_;
    backoff_ = std::chrono::nanoseconds(0);
    closed = closed_;
    change = reachability_.reached(database, coarse_now());
    serve_locked(grants);
  }
  Reachability::log(change);
  if (closed) connection->close();
  hand_out(grants);
}

void ConnectionPool::failed(std::size_t index, std::string reason, bool by_cancel) {
  Grants grants;
  Reachability::Change change;
  {
    const std::scoped_lock lock(mutex_);
    slots_[index].connecting = false;
    --connecting_;
    statistics_.count(PoolError::connect);
    if (!by_cancel && !closed_ && !has_connection_locked()) change = reachability_.lost(reason, coarse_now());
    last_failure_ = std::move(reason);
    const std::chrono::nanoseconds least = options_.backoff_min;
    const std::chrono::nanoseconds most = options_.backoff_max;
    if (coarse_now() >= retry_at_) {  // attempts that ran at the same time count as one failure
      backoff_ = std::clamp(backoff_ * 2, least, std::max(least, most));
      retry_at_ = coarse_now() + backoff_;
    }
    if (hopeless_locked()) refuse_all_locked(grants);
  }
  Reachability::log(change);
  hand_out(grants);
}

// Prevents further leases on the connection. Returns false and changes nothing if there are leases on it.
bool ConnectionPool::retire(std::size_t index) {
  const std::scoped_lock lock(mutex_);
  if (slots_[index].users != 0) return false;
  slots_[index].closed_to_others = true;
  return true;
}

void ConnectionPool::ended(std::size_t index) {
  Grants grants;
  {
    const std::scoped_lock lock(mutex_);
    const bool retired = slots_[index].users == 0 && slots_[index].closed_to_others;
    if (!retired && !closed_) statistics_.count(PoolError::connection_lost);
    slots_[index] = Slot{};
    if (!waiting_.empty()) open_another_locked();
    if (hopeless_locked()) {
      if (last_failure_.empty()) last_failure_ = "the connection was lost";
      refuse_all_locked(grants);
    }
  }
  hand_out(grants);
}

void ConnectionPool::give_back(const std::shared_ptr<Connection>& connection, Share share) {
  Grants grants;
  bool close = false;
  {
    const std::scoped_lock lock(mutex_);
    Slot* slot = slot_of_locked(connection.get());
    if (slot == nullptr) return;  // the connection has ended
    --slot->users;
    if (share == Share::exclusive) slot->exclusive = false;
    if (slot->users == 0) slot->closed_to_others = false;
    close = closed_ && slot->users == 0;
    serve_locked(grants);
  }
  if (close) connection->close();
  hand_out(grants);
}

void ConnectionPool::close_to_others(const Connection& connection) {
  const std::scoped_lock lock(mutex_);
  if (Slot* slot = slot_of_locked(&connection)) slot->closed_to_others = true;
}

ConnectionPool::Slot* ConnectionPool::slot_of_locked(const Connection* connection) noexcept {
  const auto found =
      std::ranges::find_if(slots_, [&](const Slot& slot) { return slot.connection.get() == connection; });
  return found == slots_.end() ? nullptr : &*found;
}

void ConnectionPool::close() {
  Grants grants;
  std::vector<std::shared_ptr<Connection>> idle;
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    for (const Slot& slot : slots_) {
      if (slot.connection != nullptr && slot.users == 0) idle.push_back(slot.connection);
    }
    refuse_all_locked(grants);
  }
  for (const std::shared_ptr<Connection>& connection : idle) connection->close();
  hand_out(grants);
}

PoolState ConnectionPool::state() const {
  const std::scoped_lock lock(mutex_);
  PoolState state{.connecting = connecting_, .waiting = waiting_.size()};
  for (const Slot& slot : slots_) {
    state.connections += slot.connection != nullptr ? 1 : 0;
    state.in_use += slot.connection != nullptr && slot.users != 0 ? 1 : 0;
    state.held += slot.exclusive ? 1 : 0;
    state.queries += slot.exclusive ? 0 : slot.users;
  }
  return state;
}

}  // namespace volt::pg::internal
