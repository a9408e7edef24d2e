// SPDX-License-Identifier: MIT

// Delivery: the job of each post. It counts the post for its author, and then publishes the post to the subscribers of
// all replicas.
//
// A job is executed at least once. It counts the post once, because the post says whether it was counted, in the
// transaction of the count. It publishes at least once: if a replica ends between the publication and the record that
// the job is done, subscribers get the post twice, and know it by its id. Rejected: to publish in the handler of the
// request. A replica that ends after the commit would then never publish the post.
//
// Threads: any. Lifetime: a handle; keeps what it uses.
#pragma once

#include <http/topics/topics.h>
#include <pg/pg.h>

#include <chrono>
#include <memory>

#include "apps/board/posts.h"

namespace board {

using News = volt::http::Topics<Post>;

inline constexpr const char* kTopic = "posts";

class Delivery {
 public:
  // `timeout`: of an attempt. The job of a replica that has ended is taken over after twice this time.
  Delivery(volt::pg::Pool db, std::shared_ptr<News> news, std::chrono::milliseconds timeout);

  [[nodiscard]] const volt::pg::JobQueue& queue() const noexcept { return queue_; }
  // Executes jobs until the task is cancelled.
  [[nodiscard]] volt::Task<> work() const;

 private:
  static volt::Task<> deliver(volt::pg::Pool db, std::shared_ptr<News> news, volt::pg::Job job);

  const volt::pg::Pool db_;
  const std::shared_ptr<News> news_;
  const volt::pg::JobQueue queue_;
};

}  // namespace board
