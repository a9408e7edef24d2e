// SPDX-License-Identifier: MIT

#include "redis/internal/connection_pool.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "redis/error.h"
#include "runtime/per_worker.h"
#include "runtime/select.h"
#include "runtime/spawn.h"
#include "runtime/time.h"

namespace volt::redis::internal {
namespace {

// A connection with fewer commands in progress takes one more before another connection is opened: commands that share
// a connection share its writes.
constexpr std::size_t kCrowd = 8;

}  // namespace

Lease::~Lease() {
  if (pool_ != nullptr) pool_->give_back(*connection_, bytes_);
}

ConnectionPool::ConnectionPool(PoolOptions options)
    : connector_(std::make_shared<Connector>(std::move(options))), statistics_(std::make_shared<PoolStatistics>()) {
  const PoolOptions& limits = connector_->options();
  if (limits.connections_max == 0 || limits.pipeline_max == 0 || limits.subscription_queue_max == 0) {
    throw std::invalid_argument("connections_max, pipeline_max and subscription_queue_max must be at least 1");
  }
  slots_.resize(limits.connections_max);
}

// Must be called without the lock: a lease whose task no longer waits is destroyed here, and its destructor takes the
// lock.
void ConnectionPool::hand_out(Grants& grants) {
  for (Grant& grant : grants) std::move(grant.sender).send(std::move(grant.granted));
}

// --- leases ----------------------------------------------------------------------------------------------------------

std::optional<Lease> ConnectionPool::try_acquire(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (!waiting_.empty()) return std::nullopt;
  return take_locked(bytes);
}

Task<Lease> ConnectionPool::acquire(std::size_t bytes) {
  std::optional<Lease> at_once = try_acquire(bytes);
  if (at_once) {
    statistics_->record_wait(std::chrono::nanoseconds(0));
    co_return *std::move(at_once);
  }
  const auto began = std::chrono::steady_clock::now();
  OneshotReceiver<Granted> receiver = wait_in_line(bytes);
  auto chosen = co_await select(receiver.receive(), sleep_for(options().acquire_timeout));
  statistics_->record_wait(std::chrono::steady_clock::now() - began);
  if (chosen.index() == 1) {
    statistics_->count(PoolError::acquire_timeout);
    throw Unavailable(why_none());
  }
  std::optional<Granted> granted = std::get<0>(std::move(chosen));
  if (const std::string* why = std::get_if<std::string>(&*granted)) throw Unavailable(*why);
  co_return std::get<Lease>(*std::move(granted));
}

OneshotReceiver<ConnectionPool::Granted> ConnectionPool::wait_in_line(std::size_t bytes) {
  auto [sender, receiver] = oneshot<Granted>();
  Grants grants;
  {
    const std::scoped_lock lock(mutex_);
    drop_closed_waiters_locked();
    if (waiting_.size() >= options().waiting_max) {
      statistics_->count(PoolError::queue_full);
      throw Unavailable("too many tasks wait for a connection");
    }
    waiting_.push_back({bytes, std::move(sender)});
    serve_locked(grants);  // a connection may have room since try_acquire()
    if (!waiting_.empty()) open_another_locked();
  }
  hand_out(grants);
  return std::move(receiver);
}

// Returns the slot at which the calling worker begins its search for a connection. The slots of different workers are
// far from each other (multiples of the golden ratio), so each worker tends to use its own connections.
std::size_t ConnectionPool::first_slot() const noexcept {
  return std::uint64_t{this_worker() * 2654435769U} * slots_.size() >> 32;
}

bool ConnectionPool::has_room_locked(const Slot& slot, std::size_t bytes) const noexcept {
  if (slot.connection == nullptr || slot.retired || slot.users >= options().pipeline_max) return false;
  return slot.users == 0 || slot.bytes + bytes <= options().pipeline_bytes_max;
}

std::optional<Lease> ConnectionPool::take_locked(std::size_t bytes) {
  Slot* best = nullptr;
  const std::size_t first = first_slot();
  for (std::size_t step = 0; step != slots_.size(); ++step) {
    Slot& slot = slots_[(first + step) % slots_.size()];
    if (!has_room_locked(slot, bytes) || (best != nullptr && slot.users >= best->users)) continue;
    best = &slot;
    if (slot.users == 0) break;
  }
  if (best == nullptr || best->users >= kCrowd) open_another_locked();
  if (best == nullptr) return std::nullopt;
  ++best->users;
  best->bytes += bytes;
  return Lease(shared_from_this(), best->connection, bytes);
}

// Starts to open a connection, unless one is being opened.
void ConnectionPool::open_another_locked() {
  if (closed_ || connecting_ != 0) return;
  const auto empty =
      std::ranges::find_if(slots_, [](const Slot& slot) { return slot.connection == nullptr && !slot.connecting; });
  if (empty == slots_.end()) return;
  empty->connecting = true;
  ++connecting_;
  const auto index = static_cast<std::size_t>(empty - slots_.begin());
  spawn(run, shared_from_this(), index).detach();
}

bool ConnectionPool::has_connection_locked() const noexcept {
  return std::ranges::any_of(slots_, [](const Slot& slot) { return slot.connection != nullptr; });
}

std::string ConnectionPool::why_none() const {
  const std::scoped_lock lock(mutex_);
  if (has_connection_locked() || last_failure_.empty()) return "no connection was free in time";
  return "no connection: " + last_failure_;
}

// --- waiters ---------------------------------------------------------------------------------------------------------

void ConnectionPool::serve_locked(Grants& grants) {
  while (!waiting_.empty()) {
    Waiter& first = waiting_.front();
    if (!first.sender.closed()) {
      std::optional<Lease> lease = take_locked(first.bytes);
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

void ConnectionPool::refuse_all_locked(Grants& grants, const std::string& why) {
  for (Waiter& waiter : waiting_) grants.push_back({std::move(waiter.sender), why});
  waiting_.clear();
}

// --- connections -----------------------------------------------------------------------------------------------------

Task<> ConnectionPool::run(std::shared_ptr<ConnectionPool> pool, std::size_t index) {
  struct Leaving {
    ConnectionPool& pool;
    std::size_t index;
    bool gave_up = false;
    std::shared_ptr<Connection> connection = nullptr;  // null: not connected
    ~Leaving() {
      if (connection != nullptr) {
        pool.ended(index);  // first, so that no further lease is given on it
        connection->end();
      } else if (!gave_up) {
        pool.stopped(index);
      }
    }
  } leaving{*pool, index};
  std::shared_ptr<Link> link;
  while (link == nullptr) {
    const std::chrono::nanoseconds pause = pool->pause();
    if (pause > std::chrono::nanoseconds(0)) co_await sleep_for(pause);
    std::string reason;
    bool final = false;
    try {
      link = co_await pool->connector_->connect();
    } catch (const std::exception& error) {  // decided: the reason goes to the waiters
      reason = error.what();
      final = dynamic_cast<const Refused*>(&error) != nullptr;
    }
    leaving.gave_up = link == nullptr && !pool->failed(index, reason, final);
    if (leaving.gave_up) co_return;
  }
  leaving.connection = std::make_shared<Connection>(link, pool->options());
  spawn(Link::write, link).detach();
  pool->connected(index, leaving.connection);
  std::function<bool()> may_leave = [&pool = *pool, index] { return pool.retire(index); };
  co_await Connection::read(leaving.connection, std::move(may_leave));
}

// Returns the time until the next attempt to connect is permitted.
std::chrono::nanoseconds ConnectionPool::pause() const {
  const std::scoped_lock lock(mutex_);
  return retry_at_ - coarse_now();
}

void ConnectionPool::connected(std::size_t index, std::shared_ptr<Connection> connection) {
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
    change = reachability_.reached(coarse_now());
    serve_locked(grants);
  }
  Reachability::log(change, connector_->target().name());
  if (closed) connection->close();
  hand_out(grants);
}

bool ConnectionPool::failed(std::size_t index, const std::string& reason, bool final) {
  Grants grants;
  Reachability::Change change;
  bool again = false;
  {
    const std::scoped_lock lock(mutex_);
    statistics_->count(PoolError::connect);
    if (!closed_ && !has_connection_locked()) change = reachability_.lost(reason, coarse_now());
    last_failure_ = reason;
    const std::chrono::nanoseconds least = options().backoff_min;
    const std::chrono::nanoseconds most = options().backoff_max;
    backoff_ = std::clamp(backoff_ * 2, least, std::max(least, most));
    retry_at_ = coarse_now() + backoff_;
    drop_closed_waiters_locked();
    if (final && !has_connection_locked()) refuse_all_locked(grants, reason);
    again = !closed_ && !waiting_.empty();
    if (!again) {
      slots_[index].connecting = false;
      --connecting_;
    }
  }
  Reachability::log(change, connector_->target().name());
  hand_out(grants);
  return again;
}

// Called when the runtime has cancelled the task of a connection that was not open yet.
void ConnectionPool::stopped(std::size_t index) {
  Grants grants;
  {
    const std::scoped_lock lock(mutex_);
    slots_[index].connecting = false;
    --connecting_;
    refuse_all_locked(grants, "the runtime is stopping");
  }
  hand_out(grants);
}

// Prevents further leases on the connection. Returns false and changes nothing if there are leases on it.
bool ConnectionPool::retire(std::size_t index) {
  const std::scoped_lock lock(mutex_);
  if (slots_[index].users != 0) return false;
  slots_[index].retired = true;
  return true;
}

void ConnectionPool::ended(std::size_t index) {
  const std::scoped_lock lock(mutex_);
  if (!slots_[index].retired && !closed_) statistics_->count(PoolError::connection_lost);
  slots_[index] = Slot{};
  if (!waiting_.empty()) open_another_locked();
}

void ConnectionPool::give_back(const Connection& connection, std::size_t bytes) {
  Grants grants;
  std::shared_ptr<Connection> unused;
  {
    const std::scoped_lock lock(mutex_);
    const auto slot =
        std::ranges::find_if(slots_, [&](const Slot& one) { return one.connection.get() == &connection; });
    if (slot == slots_.end()) return;  // the connection has ended
    --slot->users;
    slot->bytes -= bytes;
    if (closed_ && slot->users == 0) unused = slot->connection;
    serve_locked(grants);
  }
  if (unused != nullptr) unused->close();
  hand_out(grants);
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
    refuse_all_locked(grants, "the pool is closed");
  }
  for (const std::shared_ptr<Connection>& connection : idle) connection->close();
  hand_out(grants);
}

PoolState ConnectionPool::state() const {
  PoolState state;
  state.subscriptions = statistics_->subscriptions.load(base::relaxed);  // relaxed: a report
  const std::scoped_lock lock(mutex_);
  state.connecting = connecting_;
  state.waiting = waiting_.size();
  for (const Slot& slot : slots_) {
    state.connections += slot.connection != nullptr ? 1 : 0;
    state.in_use += slot.users != 0 ? 1 : 0;
    state.commands += slot.users;
  }
  return state;
}

}  // namespace volt::redis::internal
