// SPDX-License-Identifier: MIT

#include "redis/internal/url.h"

#include <doctest/doctest.h>

namespace volt::redis::internal {

TEST_SUITE_BEGIN("redis/internal/url");

TEST_CASE("a URL names a server, a login and a database") {
  struct Case {
    const char* url;
    Target target;
  };
  const Case cases[] = {
      {"redis://localhost", {.host = "localhost"}},
      {"redis://localhost/", {.host = "localhost"}},
      {"redis://10.0.0.1:6380/2", {.host = "10.0.0.1", .port = 6380, .database = 2}},
      {"rediss://[::1]:7000", {.tls = true, .host = "::1", .port = 7000}},
      {"redis://[::1]/1", {.host = "::1", .database = 1}},
      {"redis://:word@host", {.host = "host", .password = "word"}},
      {"redis://word@host", {.host = "host", .password = "word"}},
      {"redis://ann:a%40b%2Fc@host/0", {.host = "host", .user = "ann", .password = "a@b/c"}},
      {"redis://ann:a/b@host/4", {.host = "host", .user = "ann", .password = "a/b", .database = 4}},
      {"unix:///run/redis.sock", {.path = "/run/redis.sock"}},
      {"unix://ann:word@/run/a%20b?db=3", {.path = "/run/a b", .user = "ann", .password = "word", .database = 3}},
  };
  for (const auto& [url, wanted] : cases) {
    CAPTURE(url);
    const auto target = parse_url(url);
    REQUIRE(target.has_value());
    CHECK(target->tls == wanted.tls);
    CHECK(target->host == wanted.host);
    CHECK(target->port == wanted.port);
    CHECK(target->path == wanted.path);
    CHECK(target->user == wanted.user);
    CHECK(target->password == wanted.password);
    CHECK(target->database == wanted.database);
  }
}

TEST_CASE("a malformed URL is an error that does not show the password") {
  for (const char* url :
       {"", "localhost", "http://localhost", "redis://", "redis://secret@", "redis://host:0", "redis://host:65536",
        "redis://host:x", "redis://host/x", "redis://host/1/2", "redis://:secret%4@host", "redis://:secret%zz@host",
        "unix://run/redis.sock", "unix:///run/redis.sock?db=x", "unix:///run/redis.sock?secret=1", "redis://host/-1"}) {
    CAPTURE(url);
    const auto target = parse_url(url);
    REQUIRE(!target.has_value());
    CHECK(target.error().find("secret") == std::string::npos);
  }
}

TEST_SUITE_END();

}  // namespace volt::redis::internal
