// SPDX-License-Identifier: MIT

// Links: short names for long addresses.
//
// A new link leads nowhere until its address has been checked (apps/links/checks.h). The job for that is a row of the
// transaction that adds the link, so there is no link without its job. Every change of a link is published, for the
// page of its owner.
//
// Threads: a value, used by any task. Errors: those of sqlite/error.h.
#pragma once

#include <http/http.h>
#include <http/topics/topics.h>
#include <http/validation/checked.h>
#include <sqlite/sqlite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace links {

using volt::Task;

struct NewLink {
  volt::Pattern<"[a-z0-9-]{2,40}"> name;
  volt::Checked<std::string, volt::rules::Size<1, 2000>, volt::rules::Matches<"https?://[!-~]+">> url;
};

enum class Safety { unknown, safe, dangerous };

struct Link {
  std::string name;
  std::string url;
  Safety safety = Safety::unknown;
  std::int64_t visits = 0;
};

class Links {
 public:
  Links(volt::sqlite::Pool db, volt::sqlite::JobQueue checks);

  // Returns false if the name is taken.
  [[nodiscard]] Task<bool> add(std::int64_t owner, NewLink link) const;
  [[nodiscard]] Task<std::vector<Link>> of(std::int64_t owner) const;
  // Returns false if the user has no such link.
  [[nodiscard]] Task<bool> remove(std::int64_t owner, std::string name) const;

  // Returns the link. A visit to a safe one is counted.
  [[nodiscard]] Task<std::optional<Link>> visit(std::string name) const;
  // Does nothing if there is no such link any more.
  [[nodiscard]] Task<> set_safety(NewLink link, Safety safety) const;

  // Subscribes to the changes of a user's links, from the one after the id `after`.
  [[nodiscard]] Task<volt::http::TopicSubscription> changes(std::int64_t owner, std::string after) const;

 private:
  volt::sqlite::Pool db_;
  volt::sqlite::JobQueue checks_;
  volt::http::Topics<Link> changes_;
};

// Adds to `open` the route to which short names lead, and to `api` those of programs and scripts, which need a User.
void add_link_routes(volt::http::Group& open, volt::http::Group& api);

}  // namespace links
