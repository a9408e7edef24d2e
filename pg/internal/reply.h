// SPDX-License-Identifier: MIT

// Reply: collects the outcomes of queries that were sent together, for the task that waits for all of them.
// CompleteReplies: those that have all their outcomes.
//
// Threads: a Reply belongs to the connection, under its lock, until `done` is sent; then to the waiting task.
// Lifetime: shared by the connection and the waiting task, which may stop waiting first.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
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
  std::shared_ptr<Reply> next;           // in CompleteReplies
};

// Complete replies in order. The destructor delivers them, also if an exception ends the receipt of further ones. It
// must run without locks: destroying a lease passes its place to the next waiter, and a woken task may run immediately.
class CompleteReplies {
 public:
  CompleteReplies() = default;
  CompleteReplies(const CompleteReplies&) = delete;
  CompleteReplies& operator=(const CompleteReplies&) = delete;
  ~CompleteReplies() {
    while (first_ != nullptr) {
      const std::shared_ptr<Reply> reply = std::move(first_);
      first_ = std::move(reply->next);
      reply->lease.reset();
      std::move(reply->done).send(true);
    }
  }

  void add(std::shared_ptr<Reply> reply) noexcept {
    Reply* const added = reply.get();
    (last_ == nullptr ? first_ : last_->next) = std::move(reply);
    last_ = added;
  }

 private:
  std::shared_ptr<Reply> first_;
  Reply* last_ = nullptr;
};

}  // namespace volt::pg::internal
