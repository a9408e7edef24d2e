// SPDX-License-Identifier: MIT

// Reply: collects the outcomes of queries that were sent together, for the task that waits for all of them.
//
// Threads: belongs to the connection, under its lock, until `done` is sent; then to the waiting task.
// Lifetime: shared by the connection and the waiting task, which may stop waiting first.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <vector>

#include "database/lease.h"
#include "pg/rows.h"
#include "runtime/oneshot.h"

namespace volt::pg::internal {

struct Outcome {
  Rows rows;
  std::exception_ptr error;
};

struct Reply {
  std::vector<Outcome> outcomes;
  std::size_t missing = 0;  // number of outcomes that have not arrived
  OneshotSender<bool> done;
  std::optional<database::Lease> lease;  // place on the connection; released when the last outcome has arrived
  bool may_begin = false;                // whether a query may begin a transaction
  bool must_succeed = false;             // whether a failure makes the connection unusable, so that it is closed
  bool abandoned = false;                // whether no task waits for it
};

}  // namespace volt::pg::internal
