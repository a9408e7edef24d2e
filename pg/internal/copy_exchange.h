// SPDX-License-Identifier: MIT

// CopyExchange: the state of a COPY on a connection. libpq has no COPY in pipeline mode, so the connection leaves that
// mode for it, and enters it again behind its last result.
//
// Threads: under the lock of its Connection, but `changed`. Lifetime: shared by the connection and the CopyStream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "pg/internal/libpq.h"
#include "runtime/notify.h"

namespace volt::pg::internal {

enum class CopyDirection : bool { in, out };

class CopyExchange {
 public:
  enum class Phase : std::uint8_t {
    starting,   // the statement was sent
    copying,    // data is being sent or received
    finishing,  // all data was sent or received
    done,       // the connection is in pipeline mode again, or has ended
  };

  explicit CopyExchange(CopyDirection direction) noexcept : direction_(direction) {}

  // Leaves the pipeline mode and sends the statement. Returns false if the connection is broken.
  [[nodiscard]] bool begin(PGconn* handle, const std::string& statement);
  // Says that data has arrived.
  void arrived() noexcept { unread = phase == Phase::copying && direction_ == CopyDirection::out; }
  // Takes the results that have arrived. Returns false if the connection cannot be used any more.
  [[nodiscard]] bool take_results(PGconn* handle);
  // Sends data, of at most kPieceBytes. Returns false if the connection is broken.
  [[nodiscard]] bool put(PGconn* handle, const char* bytes, std::size_t size);
  // Ends the data that was sent, and takes the results that have arrived. Returns false if the connection is broken.
  [[nodiscard]] bool put_end(PGconn* handle);
  // Appends whole rows that have arrived, until `into` has kPieceBytes or more. Returns false if the connection cannot
  // be used any more.
  [[nodiscard]] bool get(PGconn* handle, std::string& into);
  // The connection has ended, or is about to. Does nothing if the COPY is at its end.
  void lose(std::string_view why) noexcept;

  static constexpr std::size_t kPieceBytes = 64 * 1024;

  Notify changed;          // wakes the task that copies
  bool unflushed = false;  // data that was sent is not in the socket yet
  bool unread = false;     // data has arrived that the task has not taken: the connection reads no further
  Phase phase = Phase::starting;
  bool lost = false;                   // the connection cannot be used any more
  std::exception_ptr error = nullptr;  // why the COPY failed
  std::uint64_t rows = 0;              // number of copied rows; valid at the end

 private:
  void fail_with(const std::string& what);
  // Returns false if the connection cannot be used any more.
  [[nodiscard]] bool take(const PGresult* result);

  const CopyDirection direction_;
};

}  // namespace volt::pg::internal
