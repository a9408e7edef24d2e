// SPDX-License-Identifier: MIT

// The schema of the database, as migrations. Append to the list; never change what has been released.
#pragma once

#include <migrations/migrations.h>

#include <vector>

namespace links {

inline std::vector<volt::migrations::File> schema() {
  return {
      {"0001_users.sql",
       "create table user (id integer primary key, name text not null unique, hash text not null,"
       " logouts integer not null default 0) strict;"},
      {"0002_links.sql",
       "create table link (name text primary key, url text not null, owner integer not null references user (id),"
       " safe integer, visits integer not null default 0) strict;"
       "create index link_by_owner on link (owner);"},
      {"0003_files.sql",
       "create table file (id text primary key, name text not null, bytes integer not null,"
       " owner integer not null references user (id), added integer not null default (unixepoch())) strict;"
       "create index file_by_owner on file (owner);"
       "create index file_by_added on file (added);"},
      {"0004_sessions.sql", "alter table user drop column logouts;"},  // sessions are rows now, which a logout deletes
      {"0005_safety.sql",
       "alter table link add column safety text not null default 'unknown';"
       "update link set safety = iif(safe, 'safe', 'dangerous') where safe is not null;"
       "alter table link drop column safe;"},
  };
}

}  // namespace links
