// Reply: where the answers to queries that were sent together are gathered, for the task that waits for all of them.
//
// Threads: belongs to its connection, under its lock, until `done` is sent; then to the task that waits.
// Lifetime: shared by both: whoever waits may leave first.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <vector>

#include "pg/internal/lease.h"
#include "pg/rows.h"
#include "runtime/oneshot.h"

namespace volt::pg::internal {

struct Outcome {
  Rows rows;
  std::exception_ptr error;
};

struct Reply {
  std::vector<Outcome> outcomes;
  std::size_t missing = 0;  // of them
  OneshotSender<bool> done;
  std::optional<Lease> lease;  // its place on the connection, given up when the last answer has come
  bool may_begin = false;      // a transaction
  bool must_succeed = false;   // else the connection is of no use any more
  bool abandoned = false;      // nobody waits
};

}  // namespace volt::pg::internal
