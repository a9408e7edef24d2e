// SPDX-License-Identifier: MIT

#include "apps/board/delivery.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace board {
namespace {

namespace pg = volt::pg;
using namespace std::chrono_literals;
using volt::Task;

// Posts wait in the table while Redis or the database is away. They are tried for about a day.
pg::JobQueueOptions options_of(std::chrono::milliseconds timeout) {
  return {.name = "deliveries",
          .attempts_max = 3000,
          .timeout = timeout,
          .grace = timeout,
          .backoff_min = 250ms,
          .backoff_max = 30s,
          .poll = 100ms};
}

std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::int64_t words_of(std::string_view text) {
  std::int64_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank && !in_word) ++words;
    in_word = !blank;
  }
  return words;
}

Task<> count_once(pg::Pool db, const Post& post) {
  pg::Transaction transaction = co_await db.transaction();
  const std::uint64_t first =
      co_await transaction.execute("update post set counted = true where id = $1 and not counted", post.id);
  if (first == 0) co_return;
  co_await transaction.execute("update member set posts = posts + 1, words = words + $1 where name = $2",
                               words_of(post.text), post.author);
  co_await transaction.commit();
}

}  // namespace

Delivery::Delivery(pg::Pool db, std::shared_ptr<News> news, std::chrono::milliseconds timeout)
    : db_(db), news_(std::move(news)), queue_(db, options_of(timeout)) {}

Task<> Delivery::work() const {
  return queue_.work([db = db_, news = news_](pg::Job job) { return deliver(db, news, std::move(job)); });
}

Task<> Delivery::deliver(pg::Pool db, std::shared_ptr<News> news, pg::Job job) {
  const std::int64_t id = number_of(job.payload);
  const auto post = co_await db.find<Post>(
      "select post.id, name, text, upload from post join member on member.id = post.member where post.id = $1", id);
  if (!post) co_return;  // deleted by an operator
  co_await count_once(db, *post);
  co_await news->publish(kTopic, *post);
}

}  // namespace board
