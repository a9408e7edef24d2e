// SPDX-License-Identifier: MIT

#include "pg/internal/copy_exchange.h"

#include <charconv>
#include <memory>
#include <string_view>

#include "pg/error.h"
#include "pg/internal/server_message.h"

namespace volt::pg::internal {
namespace {

struct FreeCopyBuffer {
  void operator()(char* memory) const noexcept { PQfreemem(memory); }
};

std::uint64_t rows_of_command(PGresult* result) {
  const std::string_view text = PQcmdTuples(result);
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace

bool CopyExchange::begin(PGconn* handle, const std::string& statement) {
  // With parameters, even if there are none: the server then accepts one statement only.
  return PQexitPipelineMode(handle) == 1 &&
         PQsendQueryParams(handle, statement.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0) == 1;
}

void CopyExchange::fail_with(const std::string& what) {
  if (!error) error = std::make_exception_ptr(Error(what));
}

void CopyExchange::lose(std::string_view why) noexcept {
  if (phase == Phase::done) return;
  if (!error) error = connection_lost(why);
  phase = Phase::done;
  lost = true;
  unread = false;
  unflushed = false;
  changed.notify_one();
}

bool CopyExchange::take_results(PGconn* handle) {
  // Not while data is copied: libpq would return the beginning of the COPY again.
  while (phase != Phase::copying && phase != Phase::done && PQisBusy(handle) == 0) {
    const ResultHandle result(PQgetResult(handle));
    if (result == nullptr) {
      phase = Phase::done;
      if (PQenterPipelineMode(handle) != 1) return false;
    } else if (!take(result.get())) {
      return false;
    }
  }
  return true;
}

bool CopyExchange::take(const PGresult* result) {
  switch (PQresultStatus(result)) {
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT: {
      const bool in = PQresultStatus(result) == PGRES_COPY_IN;
      if (phase == Phase::starting && in == (direction_ == CopyDirection::in)) {
        phase = Phase::copying;
        unread = !in;
        return true;
      }
      fail_with(in ? "copy_out() needs `copy .. to stdout`, not `from stdin`"
                   : "copy_in() needs `copy .. from stdin`, not `to stdout`");
      return false;
    }
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
      if (phase == Phase::starting) {
        fail_with("the statement begins no COPY: write `copy .. from stdin`, or `to stdout`");
        phase = Phase::finishing;
      } else {
        rows = rows_of_command(const_cast<PGresult*>(result));
      }
      return true;
    case PGRES_FATAL_ERROR: {
      ServerMessage message = message_of(result);
      const bool broken = message.sqlstate.empty();  // an error of libpq itself
      if (broken) message.text = sentence(PQresultErrorMessage(result));
      if (!error)
        error = broken ? std::make_exception_ptr(ConnectionLost(message.text)) : error_for(std::move(message));
      phase = Phase::finishing;
      return !broken;
    }
    default:
      fail_with("the server sent a result that does not belong to a COPY");
      return false;
  }
}

bool CopyExchange::put(PGconn* handle, const char* bytes, std::size_t size) {
  return PQputCopyData(handle, bytes, static_cast<int>(size)) == 1;
}

bool CopyExchange::put_end(PGconn* handle) {
  if (PQputCopyEnd(handle, nullptr) != 1) return false;
  phase = Phase::finishing;
  return take_results(handle);  // an error that arrived before waits in the buffer
}

bool CopyExchange::get(PGconn* handle, std::string& into) {
  unread = false;
  while (phase == Phase::copying && into.size() < kPieceBytes) {
    char* bytes = nullptr;
    const int size = PQgetCopyData(handle, &bytes, 1);
    const std::unique_ptr<char, FreeCopyBuffer> owner(bytes);
    if (size == 0) return true;  // no whole row has arrived
    if (size == -2) return false;
    if (size == -1) {
      phase = Phase::finishing;
      return take_results(handle);
    }
    into.append(bytes, static_cast<std::size_t>(size));
  }
  unread = phase == Phase::copying;  // there may be more
  return true;
}

}  // namespace volt::pg::internal
