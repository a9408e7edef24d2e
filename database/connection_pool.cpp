// SPDX-License-Identifier: MIT

#include "database/connection_pool.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/per_worker.h"
#include "runtime/select.h"
#include "runtime/spawn.h"
#include "runtime/time.h"

namespace volt::database {
namespace {

constexpr std::size_t kReasonBytes = 64;  // room for the texts of ended() and stopped()

}  // namespace

Lease::Lease(std::shared_ptr<ConnectionPool> pool, std::shared_ptr<PooledConnection> connection, Demand demand) noexcept
    : pool_(std::move(pool)), connection_(std::move(connection)), demand_(demand) {
  connection_->unsent_leases_.fetch_add(1, base::relaxed);  // relaxed: under the lock of the pool
}

Lease::~Lease() {
  if (pool_ == nullptr) return;
  if (!sent_) connection_->unsent_leases_.fetch_sub(1, base::release);  // L1
  pool_->give_back(connection_.get(), demand_);
}

void Lease::set_sent() noexcept {
  if (std::exchange(sent_, true)) return;
  if (connection_->unsent_leases_.fetch_sub(1, base::seq_cst) == 1) pool_->leases_sent();  // L1, L2
}

void Lease::close_to_others() const { pool_->close_to_others(connection_.get()); }

ConnectionPool::ConnectionPool(ConnectionPoolOptions options, Peer peer, std::string name)
    : limits_(options), slots_(options.connections_max), reachability_(peer, std::move(name)) {
  last_failure_.reserve(kReasonBytes);
}

// Must be called without the lock: a lease whose task no longer waits is destroyed here, and its destructor takes the
// lock. A sender that is destroyed unused refuses its task.
void ConnectionPool::hand_out(Waiters& leaving) noexcept {
  for (Waiter& waiter : leaving) {
    if (waiter.lease) std::move(waiter.sender).send(*std::move(waiter.lease));
  }
  leaving.clear();
}

// --- leases ----------------------------------------------------------------------------------------------------------

std::optional<Lease> ConnectionPool::try_acquire(Demand demand) {
  const std::scoped_lock lock(mutex_);
  if (!waiting_.empty()) return std::nullopt;
  return take_locked(demand);
}

Task<Lease> ConnectionPool::acquire(Demand demand) {
  std::optional<Lease> at_once = try_acquire(demand);
  if (at_once) {
    statistics_.record_wait(std::chrono::nanoseconds(0));
    co_return *std::move(at_once);
  }
  const auto began = std::chrono::steady_clock::now();
  OneshotReceiver<Lease> receiver = wait_in_line(demand);
  auto chosen = co_await select(receiver.receive(), sleep_for(limits_.acquire_timeout));
  statistics_.record_wait(std::chrono::steady_clock::now() - began);
  if (chosen.index() == 1) {
    statistics_.count(PoolError::acquire_timeout);
    fail(why_none());
  }
  std::optional<Lease> granted = std::get<0>(std::move(chosen));
  if (!granted) fail(why_refused());
  co_return *std::move(granted);
}

OneshotReceiver<Lease> ConnectionPool::wait_in_line(Demand demand) {
  auto [sender, receiver] = oneshot<Lease>();
  Waiters leaving;
  {
    const std::scoped_lock lock(mutex_);
    drop_closed_waiters_locked();
    if (waiting_.size() >= limits_.waiting_max) {
      statistics_.count(PoolError::queue_full);
      fail("too many tasks wait for a connection");
    }
    waiting_.push_back({demand, std::move(sender)});
    if (demand.exclusive) exclusive_waits_.store(true, base::seq_cst);  // L2
    serve_locked(leaving);  // a connection may have room since try_acquire()
    if (hopeless_locked()) refuse_all_locked(leaving);
  }
  hand_out(leaving);
  return std::move(receiver);
}

// Returns the slot at which the calling worker begins its search for a connection. The slots of different workers are
// far from each other (multiples of the golden ratio), so each worker tends to use its own connections.
std::size_t ConnectionPool::first_slot() const noexcept {
  return std::uint64_t{this_worker() * 2654435769U} * slots_.size() >> 32;
}

bool ConnectionPool::has_room_locked(const Slot& slot, Demand demand) const noexcept {
  if (slot.connection == nullptr || slot.exclusive || slot.closed_to_others) return false;
  if (slot.leases >= limits_.leases_max) return false;
  if (demand.exclusive && slot.connection->has_unsent_leases()) return false;
  return slot.leases == 0 || slot.bytes + demand.bytes <= limits_.bytes_max;
}

std::optional<Lease> ConnectionPool::take_locked(Demand demand) {
  Slot* best = nullptr;
  const std::size_t first = first_slot();
  for (std::size_t step = 0; step != slots_.size(); ++step) {
    Slot& slot = slots_[(first + step) % slots_.size()];
    if (!has_room_locked(slot, demand) || (best != nullptr && slot.leases >= best->leases)) continue;
    best = &slot;
    if (slot.leases == 0) break;
  }
  if (best == nullptr || best->leases >= limits_.busy_leases) open_another_locked();
  if (best == nullptr) return std::nullopt;
  ++best->leases;
  best->bytes += demand.bytes;
  best->exclusive = demand.exclusive;
  return Lease(shared_from_this(), best->connection, demand);
}

// Starts to open a connection, unless enough are being opened: one for each waiter, or, without waiters, one for the
// task that now has to share a busy connection.
void ConnectionPool::open_another_locked() {
  const std::size_t wanted = std::clamp<std::size_t>(waiting_.size(), 1, limits_.connecting_max);
  if (closed_ || connecting_ >= wanted) return;
  if (!limits_.wait_for_server && coarse_now() < retry_at_) return;
  const auto empty =
      std::ranges::find_if(slots_, [](const Slot& slot) { return slot.connection == nullptr && !slot.connecting; });
  if (empty == slots_.end()) return;
  const auto index = static_cast<std::size_t>(empty - slots_.begin());
  try {
    spawn(run, shared_from_this(), index).detach();
  } catch (const std::bad_alloc&) {  // decided: the next query, or the end of a lease, tries again
    return;
  }
  empty->connecting = true;  // run() begins with a lock that is held here
  ++connecting_;
}

bool ConnectionPool::hopeless_locked() const noexcept { return connecting_ == 0 && !has_connection_locked(); }

bool ConnectionPool::has_connection_locked() const noexcept {
  return std::ranges::any_of(slots_, [](const Slot& slot) { return slot.connection != nullptr; });
}

std::string ConnectionPool::why_none() const {
  const std::scoped_lock lock(mutex_);
  if (has_connection_locked() || last_failure_.empty()) return "no connection was free in time";
  return "no connection: " + last_failure_;
}

std::string ConnectionPool::why_refused() const {
  const std::scoped_lock lock(mutex_);
  if (closed_) return "the pool is closed";
  return last_failure_.empty() ? "no connection could be opened" : last_failure_;
}

// --- waiters ---------------------------------------------------------------------------------------------------------

void ConnectionPool::serve_locked(Waiters& leaving) {
  while (!waiting_.empty()) {
    Waiter& first = waiting_.front();
    if (first.sender.closed()) {
      waiting_.pop_front();
      continue;
    }
    first.lease = take_locked(first.demand);
    if (!first.lease) return;
    leaving.splice(leaving.end(), waiting_, waiting_.begin());
  }
  exclusive_waits_.store(false, base::relaxed);  // relaxed: every store is under the lock
}

// Called when all leases of a connection are sent: the first waiter may have waited for that.
void ConnectionPool::leases_sent() noexcept {
  if (!exclusive_waits_.load(base::seq_cst)) return;  // L2
  Waiters leaving;
  {
    const std::scoped_lock lock(mutex_);
    serve_locked(leaving);
  }
  hand_out(leaving);
}

// Removes waiters whose tasks no longer wait from the front of the queue. All waits have the same limit, so the waits
// that timed out are at the front. A cancelled wait may be behind others; it is removed after them.
void ConnectionPool::drop_closed_waiters_locked() {
  while (!waiting_.empty() && waiting_.front().sender.closed()) waiting_.pop_front();
}

void ConnectionPool::refuse_all_locked(Waiters& leaving) noexcept { leaving.splice(leaving.end(), waiting_); }

// --- connections -----------------------------------------------------------------------------------------------------

Task<> ConnectionPool::run(std::shared_ptr<ConnectionPool> pool, std::size_t index) {
  struct Leaving {
    ConnectionPool& pool;
    std::size_t index;
    bool gave_up = false;
    std::shared_ptr<PooledConnection> connection = nullptr;  // null: not connected
    ~Leaving() {
      if (connection != nullptr) {
        pool.ended(index);  // first, so that no further lease is given on it
        connection->end();
      } else if (!gave_up) {
        pool.stopped(index);
      }
    }
  } leaving{*pool, index};
  Opened opened;
  while (opened.connection == nullptr) {
    const std::chrono::nanoseconds pause = pool->pause();
    if (pause > std::chrono::nanoseconds(0)) co_await sleep_for(pause);
    std::string reason;
    bool final = false;
    try {
      opened = co_await pool->open();
      leaving.connection = opened.connection;
      continue;
    } catch (const std::exception& error) {  // decided: the reason goes to the waiters
      reason = error.what();
      final = pool->is_final(error);
    }
    leaving.gave_up = !pool->failed(index, reason, final);
    if (leaving.gave_up) co_return;
  }
  pool->connected(index, opened);
  std::function<bool()> may_leave = [&pool = *pool, index] { return pool.retire(index); };
  co_await leaving.connection->serve(std::move(may_leave));
}

// Returns the time until the next attempt to connect is permitted.
std::chrono::nanoseconds ConnectionPool::pause() const {
  const std::scoped_lock lock(mutex_);
  return limits_.wait_for_server ? retry_at_ - coarse_now() : std::chrono::nanoseconds(0);
}

void ConnectionPool::connected(std::size_t index, const Opened& opened) {
  Waiters leaving;
  Reachability::Change change;
  bool closed = false;
  {
    const std::scoped_lock lock(mutex_);
    slots_[index].connection = opened.connection;
    slots_[index].connecting = false;
    --connecting_;
    backoff_ = std::chrono::nanoseconds(0);
    closed = closed_;
    change = reachability_.reached(opened.name, coarse_now());
    serve_locked(leaving);
  }
  reachability_.log(change);
  if (closed) opened.connection->close();
  hand_out(leaving);
}

bool ConnectionPool::failed(std::size_t index, const std::string& reason, bool final) {
  Waiters leaving;
  Reachability::Change change;
  bool again = false;
  {
    const std::scoped_lock lock(mutex_);
    statistics_.count(PoolError::connect);
    const bool has_connection = has_connection_locked();
    if (!closed_ && !has_connection) change = reachability_.lost(reason, coarse_now());
    last_failure_ = reason;
    if (coarse_now() >= retry_at_) {  // attempts that ran at the same time count as one failure
      backoff_ = std::clamp(backoff_ * 2, limits_.backoff_min, std::max(limits_.backoff_min, limits_.backoff_max));
      retry_at_ = coarse_now() + backoff_;
    }
    drop_closed_waiters_locked();
    const bool pointless = final && !has_connection;
    again = limits_.wait_for_server && !pointless && !closed_ && !waiting_.empty();
    if (!again) {
      slots_[index].connecting = false;
      --connecting_;
    }
    if (hopeless_locked()) refuse_all_locked(leaving);
  }
  reachability_.log(change);
  hand_out(leaving);
  return again;
}

// Called when the runtime has cancelled the task of a connection that was not open yet.
void ConnectionPool::stopped(std::size_t index) noexcept {
  Waiters leaving;
  {
    const std::scoped_lock lock(mutex_);
    slots_[index].connecting = false;
    --connecting_;
    last_failure_ = "the runtime is stopping";  // allocates nothing: kReasonBytes
    if (hopeless_locked()) refuse_all_locked(leaving);
  }
  hand_out(leaving);
}

// Prevents further leases on the connection. Returns false and changes nothing if there are leases on it.
bool ConnectionPool::retire(std::size_t index) {
  const std::scoped_lock lock(mutex_);
  if (slots_[index].leases != 0) return false;
  slots_[index].closed_to_others = true;
  return true;
}

void ConnectionPool::ended(std::size_t index) noexcept {
  Waiters leaving;
  {
    const std::scoped_lock lock(mutex_);
    const bool retired = slots_[index].leases == 0 && slots_[index].closed_to_others;
    if (!retired && !closed_) statistics_.count(PoolError::connection_lost);
    slots_[index] = Slot{};
    if (!waiting_.empty()) open_another_locked();
    if (hopeless_locked()) {
      if (last_failure_.empty()) last_failure_ = "the connection was lost";  // allocates nothing: kReasonBytes
      refuse_all_locked(leaving);
    }
  }
  hand_out(leaving);
}

void ConnectionPool::give_back(const PooledConnection* connection, Demand demand) noexcept {
  Waiters leaving;
  std::shared_ptr<PooledConnection> unused;
  {
    const std::scoped_lock lock(mutex_);
    Slot* slot = slot_of_locked(connection);
    if (slot == nullptr) return;  // the connection has ended
    --slot->leases;
    slot->bytes -= demand.bytes;
    if (demand.exclusive) slot->exclusive = false;
    if (slot->leases == 0) slot->closed_to_others = false;
    if (closed_ && slot->leases == 0) unused = slot->connection;
    serve_locked(leaving);
  }
  if (unused != nullptr) unused->close();
  hand_out(leaving);
}

void ConnectionPool::close_to_others(const PooledConnection* connection) {
  const std::scoped_lock lock(mutex_);
  if (Slot* slot = slot_of_locked(connection)) slot->closed_to_others = true;
}

ConnectionPool::Slot* ConnectionPool::slot_of_locked(const PooledConnection* connection) noexcept {
  const auto found =
      std::ranges::find_if(slots_, [&](const Slot& slot) { return slot.connection.get() == connection; });
  return found == slots_.end() ? nullptr : &*found;
}

void ConnectionPool::close() noexcept {
  Waiters leaving;
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    for (const Slot& slot : slots_) {
      if (slot.connection != nullptr && slot.leases == 0) slot.connection->close();
    }
    refuse_all_locked(leaving);
  }
  hand_out(leaving);
}

ConnectionPoolState ConnectionPool::snapshot() const {
  const std::scoped_lock lock(mutex_);
  ConnectionPoolState state{.connecting = connecting_, .waiting = waiting_.size()};
  for (const Slot& slot : slots_) {
    state.connections += slot.connection != nullptr ? 1 : 0;
    state.in_use += slot.connection != nullptr && slot.leases != 0 ? 1 : 0;
    state.exclusive += slot.exclusive ? 1 : 0;
    state.shared += slot.exclusive ? 0 : slot.leases;
  }
  return state;
}

void ConnectionPool::report(const PoolReport& to, std::string_view connections_help,
                            std::string_view failures_help) const {
  statistics_.report(to, snapshot(), limits_.connections_max, connections_help, failures_help);
}

}  // namespace volt::database
