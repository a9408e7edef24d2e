// SPDX-License-Identifier: MIT

#include "apps/board/schema.h"

#include <utility>
#include <vector>

namespace board {
namespace {

constexpr const char* kTables = R"(
create table member (
  id bigint generated always as identity primary key,
  name text not null unique,
  password_hash text not null,
  posts bigint not null default 0,
  words bigint not null default 0
);
create table upload (
  digest text primary key,
  type text not null,
  data bytea not null
);
create table post (
  id bigint generated always as identity primary key,
  member bigint not null references member (id),
  key text not null,
  text text not null,
  upload text references upload (digest),
  counted boolean not null default false,
  unique (member, key)
);
)";

}  // namespace

volt::Task<> migrate(volt::pg::Pool db) {
  std::vector<volt::migrations::File> files = {{"0001_board.sql", kTables}};
  const volt::migrations::Options options{.allow_newer = true};
  co_await volt::pg::migrate(std::move(db), std::move(files), options);
}

}  // namespace board
