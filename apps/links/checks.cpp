// SPDX-License-Identifier: MIT

#include "apps/links/checks.h"

#include <http/client/client.h>
#include <http/json/json.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

namespace links {
namespace {

namespace http = volt::http;
namespace sqlite = volt::sqlite;
using namespace std::chrono_literals;

struct Question {
  std::string url;
};

struct Verdict {
  bool safe;
};

Task<bool> ask(std::shared_ptr<http::HttpClient> client, std::string address, std::string url) {
  http::ClientRequest request(http::Method::post, std::move(address));
  request.body(http::to_json(Question{std::move(url)}), "application/json").idempotent();
  auto response = co_await client->send(std::move(request));
  if (!response) throw std::runtime_error("the checker cannot be reached: " + response.error().message());
  if (response->status() != http::Status::ok) {
    throw std::runtime_error("the checker responds with " + std::to_string(http::code(response->status())));
  }
  const auto text = co_await response->text(4096);
  const auto verdict = http::from_json<Verdict>(text.value_or(""));
  if (!verdict) throw std::runtime_error("the checker responds without a verdict");
  co_return verdict->safe;
}

Task<bool> all_are_safe(std::string) { co_return true; }

Task<> check(Links links, Checker checker, sqlite::Job job) {
  const auto link = http::from_json<NewLink>(job.payload);
  if (!link) throw std::runtime_error("the job of another version of this program");
  const bool safe = co_await checker(*link->url);
  co_await links.set_safety(*link, safe ? Safety::safe : Safety::dangerous);
}

}  // namespace

Checker checker_at(const std::string& address) {
  if (address.empty()) return all_are_safe;
  auto client = std::make_shared<http::HttpClient>(http::ClientOptions{
      .whole_timeout = 5s,
      .name = "checker",
      .retry = {.attempts_max = 3},
      .circuit_breaker = {.consecutive_failures = 5, .open_for = 10s},
  });
  return [client = std::move(client), address](std::string url) { return ask(client, address, std::move(url)); };
}

sqlite::JobQueue check_queue(const sqlite::Pool& db) {
  // So many attempts take a week: a link is rather checked late than never.
  return sqlite::JobQueue(db, {.name = "checks", .attempts_max = 10'000, .timeout = 10s, .backoff_max = 1min});
}

void add_checks(http::App& app, const sqlite::JobQueue& queue, const Links& links, Checker checker) {
  app.before_listen([queue] { return queue.make_table(); });
  app.background([queue, links, checker = std::move(checker)] {
    return queue.work([links, checker](sqlite::Job job) { return check(links, checker, std::move(job)); });
  });
  app.state(queue);
}

}  // namespace links
