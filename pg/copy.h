// SPDX-License-Identifier: MIT

// CopyIn and CopyOut: many rows into a table or out of one, as a stream (COPY of PostgreSQL). Thousands of rows are
// stored much faster than by an insert for each, and a result may be larger than the memory.
//
//   pg::Transaction transaction = co_await db.transaction();
//   pg::CopyIn items = co_await transaction.copy_in("copy item (id, name, price) from stdin");
//   for (const Item& item : all) co_await items.row(item);          // or items.row(item.id, item.name, item.price)
//   const std::uint64_t rows = co_await items.finish();
//   co_await transaction.commit();
//
//   pg::CopyOut csv = co_await transaction.copy_out("copy (select * from item) to stdout (format csv, header)");
//   for (;;) {
//     const std::optional<std::string_view> part = co_await csv.read();
//     if (!part) break;
//     co_await writer.write(*part);
//   }
//
// row() and next() need the default format of COPY, `text`; write() and read() pass the bytes of any format. Values are
// copied as text, and the server converts them to the types of the columns: COPY casts nothing, so with the binary
// format an `int` could not be copied into a bigint or a numeric.
//
// Backpressure: a write waits until the socket has taken the data, and the connection reads no more than the task has
// taken. Memory: about 64 KiB each way, and one row.
//
// A stream belongs to its transaction, which takes no queries until the stream is at its end. A stream that is
// destroyed before, also by an exception or a cancellation, closes the connection of the transaction; the server then
// keeps nothing of the transaction, and further queries in it throw ConnectionLost. A row that the server refuses makes
// finish() throw ServerError: rows that were sent after it are discarded, the connection is used again, and the
// transaction can only be rolled back.
//
// Threads: one task at a time. Lifetime: a resource; must be destroyed before the runtime. Errors: ServerError;
// ConnectionLost; QueryTimeout if the server takes or sends nothing for PoolOptions::query_timeout. The span of a
// statement (tracing/span.h) ends when the stream begins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pg/copy_row.h"
#include "reflect/aggregate.h"
#include "runtime/task.h"

namespace volt::pg {

namespace internal {
class CopyStream;
}

class CopyIn {
 public:
  CopyIn(CopyIn&&) noexcept;
  CopyIn& operator=(CopyIn&&) noexcept;
  ~CopyIn();

  // Sends bytes in the format of the statement; they may end within a row. They must stay valid until the task was
  // awaited.
  Task<> write(std::string_view bytes);

  // Sends a row of the text format: one value for each column, of the types of parameters (pg/parameters.h); or an
  // aggregate, whose members are the columns. Rows are collected, and sent when they are 64 KiB. Throws
  // std::invalid_argument for text with a zero byte.
  template <class... Args>
  Task<> row(const Args&... args) {
    CopyRowWriter writer(collected_);
    if constexpr (sizeof...(Args) == 1 && (reflect::Aggregate<Args> && ...)) {
      (reflect::for_each_member(args, [&](auto, const auto& member) { writer.add(member); }), ...);
    } else {
      (writer.add(args), ...);
    }
    writer.end();
    return send_if_full();
  }

  // Ends the stream. Returns the number of rows of the stream. Must be called at most once.
  Task<std::uint64_t> finish();

 private:
  friend class Transaction;
  explicit CopyIn(std::unique_ptr<internal::CopyStream> stream) noexcept;
  [[nodiscard]] Task<> send_if_full();
  [[nodiscard]] Task<> send_collected();

  std::unique_ptr<internal::CopyStream> stream_;  // null once finished or moved from
  std::string collected_;                         // rows that were not sent
};

class CopyOut {
 public:
  CopyOut(CopyOut&&) noexcept;
  CopyOut& operator=(CopyOut&&) noexcept;
  ~CopyOut();

  // Waits for one or more whole rows, in the format of the statement, and returns them; nothing at the end. The view is
  // valid until the next call.
  [[nodiscard]] Task<std::optional<std::string_view>> read();

  // Returns the next row of the text format as a T: an aggregate, or the type of the only column (pg/rows.h). Returns
  // nothing at the end. Must not be mixed with read(). Throws DecodeError, which names the column by its number.
  template <class T>
  [[nodiscard]] Task<std::optional<T>> next() {
    const bool found = co_await next_line();
    if (!found) co_return std::nullopt;
    co_return row_.template to<T>(0);
  }

 private:
  friend class Transaction;
  explicit CopyOut(std::unique_ptr<internal::CopyStream> stream) noexcept;
  // Sets `row_` to the next row. Returns false at the end.
  [[nodiscard]] Task<bool> next_line();

  std::unique_ptr<internal::CopyStream> stream_;  // null at the end, or once moved from
  std::string received_;
  std::size_t taken_ = 0;  // bytes of received_ that next() has returned
  CopyRow row_;            // points into received_
};

}  // namespace volt::pg
