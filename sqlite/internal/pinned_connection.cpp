// SPDX-License-Identifier: MIT

#include "sqlite/internal/pinned_connection.h"

#include "sqlite/error.h"

namespace volt::sqlite::internal {
namespace {

[[noreturn]] void fail_read_only() { throw Error("the transaction is read-only, but a query in it writes"); }

}  // namespace

template <class Work>
Task<std::invoke_result_t<Work&, Connection&>> PinnedConnection::call(Work work) {
  std::exception_ptr error;
  try {
    co_return co_await lease_->call(std::move(work), timeout_);
  } catch (const NeedsWriter&) {
    fail_read_only();
  } catch (const Error&) {  // decided: counted, and thrown on
    error = std::current_exception();
  }
  lease_->database().statistics().count(error);
  std::rethrow_exception(error);
}

Task<> PinnedConnection::begin() {
  // IMMEDIATE takes the lock for writing now, where SQLite can wait for it. Later, after the transaction has read, it
  // could only fail.
  const std::string_view statement = access_ == Access::read ? "begin" : "begin immediate";
  auto work = [statement](Connection& connection) { connection.script(statement); };
  co_await call(std::move(work));
}

void PinnedConnection::need_transaction() const {
  const Connection* connection = lease_ ? lease_->open_connection() : nullptr;
  if (connection == nullptr || !connection->in_transaction()) {
    throw Error("the transaction has ended: a query was interrupted, the disk failed, or a query ended it");
  }
}

Task<std::vector<Outcome>> PinnedConnection::run_all(std::span<const Query> queries) {
  need_transaction();
  auto work = [queries, access = access_](Connection& connection) { return connection.run_all(queries, access); };
  co_return co_await call(std::move(work));
}

Task<> PinnedConnection::script(std::string_view statements) {
  need_transaction();
  if (access_ == Access::read) fail_read_only();
  auto work = [statements](Connection& connection) { connection.script(statements); };
  co_await call(std::move(work));
}

Task<> PinnedConnection::commit() {
  need_transaction();
  auto work = [](Connection& connection) { connection.script("commit"); };
  co_await call(std::move(work));
  lease_.reset();
}

void PinnedConnection::roll_back() noexcept {
  if (!lease_) return;
  if (Connection* connection = lease_->open_connection()) connection->roll_back();
  lease_.reset();
}

}  // namespace volt::sqlite::internal
