// SPDX-License-Identifier: MIT

#include "pg/internal/pipeline.h"

#include <algorithm>
#include <new>
#include <utility>

#include "pg/error.h"
#include "pg/internal/server_message.h"

namespace volt::pg::internal {
namespace {

// A row or a query beyond it is so slow to transfer that a new connection costs little beside it.
constexpr std::size_t kLargeBytes = 8 * 1024 * 1024;

bool send_sync(PGconn* handle) noexcept {
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC
  return PQsendPipelineSync(handle) == 1;
#else
  return PQpipelineSync(handle) == 1;
#endif
}

// Returns whether pg/decode.cpp can read the types of all columns in binary.
bool all_read_in_binary(const PGresult* result) noexcept {
  for (int column = 0; column != PQnfields(result); ++column) {
    switch (static_cast<Type>(PQftype(result, column))) {
      case Type::boolean:
      case Type::bytea:
      case Type::name:
      case Type::int8:
      case Type::int2:
      case Type::int4:
      case Type::text:
      case Type::oid:
      case Type::float4:
      case Type::float8:
      case Type::bpchar:
      case Type::varchar:
        break;
      default:
        return false;
    }
  }
  return true;
}

// Returns whether a row of the result is larger than kLargeBytes.
bool has_large_row(const PGresult* result) noexcept {
  if (PQresultMemorySize(result) <= kLargeBytes) return false;
  for (int row = 0; row != PQntuples(result); ++row) {
    std::size_t bytes = 0;
    for (int column = 0; column != PQnfields(result); ++column) {
      bytes += static_cast<std::size_t>(PQgetlength(result, row, column));
    }
    if (bytes > kLargeBytes) return true;
  }
  return false;
}

bool begins_transaction(const PGresult* result) noexcept {
  const std::string_view command = PQcmdStatus(const_cast<PGresult*>(result));
  return command == "BEGIN" || command == "START TRANSACTION";
}

bool is_in_transaction(const PGconn* connection) noexcept {
  const PGTransactionStatusType status = PQtransactionStatus(connection);
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

}  // namespace

bool Pipeline::send(const Query& query, const std::shared_ptr<Reply>& reply, std::size_t index) {
  values_.clear();
  lengths_.clear();
  formats_.clear();
  std::size_t bytes = query.text.size();
  for (const Parameter& parameter : query.parameters.all()) {
    bytes += parameter.size;
    values_.push_back(query.parameters.bytes_of(parameter));
    lengths_.push_back(static_cast<int>(parameter.size));
    formats_.push_back(parameter.binary ? 1 : 0);
  }
  if (bytes > kLargeBytes) outgrown_ = true;
  const int count = static_cast<int>(values_.size());
  const Statements::Found found = statements_.find(query);
  const Oid* types = statements_.types().data();
  PGconn* handle = handle_.get();
  const Statement* statement = found.statement.get();
  try {
    queue_.push_back({reply, index, found.statement, found.fresh});
  } catch (const std::bad_alloc&) {  // decided: undone, because the statement is not prepared; then rethrown
    if (found.fresh) statements_.forget(*found.statement);
    throw;
  }
  ++live_;
  if (found.fresh && PQsendPrepare(handle, statement->name.c_str(), statements_.text(), count, types) != 1)
    return false;
  const int sent = statement == nullptr
                       ? PQsendQueryParams(handle, statements_.text(), count, types, values_.data(), lengths_.data(),
                                           formats_.data(), 0)
                       : PQsendQueryPrepared(handle, statement->name.c_str(), count, values_.data(), lengths_.data(),
                                             formats_.data(), statement->binary ? 1 : 0);
  return sent == 1 && send_sync(handle);
}

Flushed Pipeline::flush() noexcept {
  const int left = PQflush(handle_.get());
  return left == 0 ? Flushed::all : left > 0 ? Flushed::partly : Flushed::failed;
}

bool Pipeline::receive(CompleteReplies& complete) {
  PGconn* handle = handle_.get();
  bool alive = true;
  do {  // stops when no result is expected; the reactor reports an end of the stream again
    alive = PQconsumeInput(handle) == 1;
    if (!take_results(complete)) return false;
  } while (alive && !queue_.empty() && has_unread(PQsocket(handle)));
  // libpq may have consumed a part of an encrypted record, and its TLS library may hold the rest. One further call
  // reads the rest, because it is smaller than the free space in the buffer of libpq.
  if (alive && (PQsslInUse(handle) != 0 || PQgssEncInUse(handle) != 0)) {
    alive = PQconsumeInput(handle) == 1;
    if (!take_results(complete)) return false;
  }
  if (!alive) lose(sentence(PQerrorMessage(handle)));
  return alive;
}

bool Pipeline::take_results(CompleteReplies& complete) {
  bool after_null = false;
  while (PQisBusy(handle_.get()) == 0 && !queue_.empty()) {
    ResultHandle result(PQgetResult(handle_.get()));
    if (result == nullptr) {  // a null result ends the results of one command
      if (!std::exchange(after_null, true)) continue;
      lose("libpq returned fewer results than there were queries");
      return false;
    }
    after_null = false;
    if (!take(std::move(result), complete)) return false;
  }
  return true;
}

bool Pipeline::take(ResultHandle result, CompleteReplies& complete) {
  Entry& entry = queue_.front();
  switch (PQresultStatus(result.get())) {
    case PGRES_PIPELINE_SYNC: {
      const bool failed = entry.reply->must_succeed && entry.outcome().error != nullptr;
      const bool left_open = entry.reply->lease && is_in_transaction(handle_.get());
      finish_first(complete);
      if (failed) lose("a rollback failed");
      if (left_open) lose("a transaction was left open");
      return !failed && !left_open;
    }
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
      if (std::exchange(entry.prepares, false)) return true;
      if (begins_transaction(result.get()) && !entry.reply->may_begin) {
        entry.outcome().error = std::make_exception_ptr(Error("begin a transaction with Pool::transaction()"));
        lose("a query began a transaction on a shared connection");
        return false;
      }
      take_rows(entry, std::move(result));
      return true;
    case PGRES_PIPELINE_ABORTED:
      return true;  // the server skips the commands between an error and the next Sync
    case PGRES_FATAL_ERROR:
      return take_error(entry, result.get());
    default:
      entry.outcome().error = std::make_exception_ptr(
          Error("a COPY needs a connection of its own: use Transaction::copy_in() or copy_out()"));
      lose("a query began a COPY");
      return false;
  }
}

void Pipeline::take_rows(Entry& entry, ResultHandle result) {
  if (entry.statement != nullptr && !entry.statement->binary && PQnfields(result.get()) != 0) {
    entry.statement->binary = all_read_in_binary(result.get());
  }
  if (has_large_row(result.get())) outgrown_ = true;
  if (!entry.outcome().error) entry.outcome().rows = Rows(result.release());
}

bool Pipeline::take_error(Entry& entry, const PGresult* result) {
  ServerMessage message = message_of(result);
  if (message.sqlstate.empty()) {  // an error of libpq itself: the connection is broken
    lose(sentence(PQresultErrorMessage(result)));
    return false;
  }
  if (Statement* statement = entry.statement.get()) {
    const bool unknown = message.sqlstate == "26000";
    if (std::exchange(entry.prepares, false)) statement->failure = message;
    if (unknown && statement->failure) message = *statement->failure;
    // 0A000: the types of the statement's columns have changed since it was prepared.
    if (statement->failure || unknown || message.sqlstate == "0A000") statements_.forget(*statement);
  }
  if (!entry.outcome().error) entry.outcome().error = error_for(std::move(message));
  return true;
}

void Pipeline::finish_first(CompleteReplies& complete) noexcept {
  std::shared_ptr<Reply> reply = std::move(queue_.front().reply);
  queue_.pop_front();
  if (!reply->abandoned) --live_;
  if (--reply->missing == 0) complete.add(std::move(reply));
}

void Pipeline::lose(std::string why) {
  if (lost_.empty()) lost_ = std::move(why);
}

void Pipeline::fail_all(CompleteReplies& complete) noexcept {
  while (!queue_.empty()) {
    std::exception_ptr& error = queue_.front().outcome().error;
    if (!error) error = connection_lost(lost_.empty() ? "the connection was closed" : std::string_view(lost_));
    finish_first(complete);
  }
  handle_.reset();
}

void Pipeline::abandon(const Reply& reply) noexcept {
  live_ -= static_cast<std::size_t>(
      std::ranges::count_if(queue_, [&](const Entry& entry) { return entry.reply.get() == &reply; }));
}

}  // namespace volt::pg::internal
