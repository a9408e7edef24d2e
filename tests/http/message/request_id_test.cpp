// SPDX-License-Identifier: MIT

#include "http/message/request_id.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace volt::http::message {
namespace {

using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

std::string next(RequestIdSource& source, std::int64_t milliseconds) {
  return std::string(source.next(Milliseconds(std::chrono::milliseconds(milliseconds))).view());
}

}  // namespace

TEST_SUITE_BEGIN("http/message/request_id");

TEST_CASE("a client's id is accepted if it is short and harmless") {
  CHECK(acceptable_request_id("7b1e9c3a-1f2d-7000-8000-000000000001"));
  CHECK(acceptable_request_id("Root=1-67891233-abcdef012345678912345678"));
  CHECK(acceptable_request_id("a"));
  CHECK(acceptable_request_id(std::string(128, 'a')));
  for (const std::string& id :
       {std::string(), std::string(129, 'a'), std::string("a b"), std::string("a\nb"), std::string("a\"b"),
        std::string("a%0a"), std::string("a;b"), std::string("<a>"), std::string("a\0b", 3), std::string("\xc3\xa9"),
        std::string("$(x)"), std::string("a\\b")}) {
    CAPTURE(id);
    CHECK_FALSE(acceptable_request_id(id));
  }
}

TEST_CASE("generated ids are UUIDs of version 7 that begin with the time of RFC 9562 appendix A.6") {
  RequestIdSource source;
  const std::string id = next(source, 0x017f22e279b0);
  CHECK(id.size() == 36);
  CHECK(id.starts_with("017f22e2-79b0-7"));
  for (const std::size_t dash : {8, 13, 18, 23}) CHECK(id[dash] == '-');
  CHECK(std::string("89ab").find(id[19]) != std::string::npos);
  CHECK(acceptable_request_id(id));
}

TEST_CASE("ids differ, within a millisecond and between sources") {
  std::set<std::string> seen;
  RequestIdSource one;
  RequestIdSource other;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(next(one, 5));
    seen.insert(next(other, 5));
  }
  CHECK(seen.size() == 2000);
}

TEST_CASE("ids sort by time") {
  RequestIdSource source;
  const std::string early = next(source, 1'000'000'000'000);
  CHECK(early < next(source, 1'000'000'000'001));
  CHECK(early < next(source, 1'000'000'010'000));
}

TEST_SUITE_END();
}  // namespace volt::http::message
