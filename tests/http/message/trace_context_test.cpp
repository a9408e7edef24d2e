// SPDX-License-Identifier: MIT

#include "http/message/trace_context.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/http/message/fields_of.h"

namespace volt::http::message {
namespace {

const std::string kGood = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

}  // namespace

TEST_SUITE_BEGIN("http/message/trace_context");

TEST_CASE("traceparent of W3C Trace Context, section 3.2.4's examples") {
  const auto parent = TraceParent::parse(kGood);
  REQUIRE(parent);
  CHECK(parent->trace_id_text() == "4bf92f3577b34da6a3ce929d0e0e4736");
  CHECK(parent->span_id_text() == "00f067aa0ba902b7");
  CHECK(parent->sampled);
  CHECK_FALSE(parent->random_trace_id);
  CHECK(parent->to_string() == kGood);

  const auto unsampled = TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
  REQUIRE(unsampled);
  CHECK_FALSE(unsampled->sampled);
}

TEST_CASE("valid and invalid values of traceparent") {
  const std::string ids = "-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-";
  const struct {
    std::string why, text;
    bool want;
  } cases[] = {
      {"unknown flags are ignored", "00" + ids + "ff", true},
      {"a later version", "01" + ids + "01", true},
      {"a later version with more fields", "cc" + ids + "01-what-the-future-will-be-like", true},
      {"a later version with a trailing dash", "cc" + ids + "01-", true},
      {"a later version with trailing junk", "cc" + ids + "01.what", false},
      {"version ff", "ff" + ids + "01", false},
      {"version 00 with trailing bytes", "00" + ids + "01-", false},
      {"version in capitals", "0A" + ids + "01", false},
      {"trace id of zeros", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
      {"parent id of zeros", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false},
      {"trace id in capitals", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false},
      {"parent id in capitals", "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01", false},
      {"trace id with a letter beyond f", "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", false},
      {"flags that are not hexadecimal", "00" + ids + "0x", false},
      {"flags in capitals", "00" + ids + "0F", false},
      {"underscores", "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01", false},
      {"a trailing space", kGood + " ", false},
      {"empty", "", false},
      {"dashes", std::string(55, '-'), false},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    CHECK(TraceParent::parse(text).has_value() == want);
  }
  for (std::size_t bytes = 0; bytes < kGood.size(); ++bytes) CHECK_FALSE(TraceParent::parse(kGood.substr(0, bytes)));
}

TEST_CASE("a child belongs to its parent's trace and has its own span") {
  const auto parent = TraceParent::start(true);
  const auto child = parent.child();
  CHECK(child.trace_id == parent.trace_id);
  CHECK(child.sampled);
  CHECK(child.span_id != parent.span_id);
  CHECK(parent.child() != child);
  CHECK(TraceParent::start(true).trace_id != parent.trace_id);
  CHECK(TraceParent::parse(child.to_string()) == child);
  CHECK_FALSE(TraceParent::start(false).sampled);
}

TEST_CASE("tracestate is a list of at most 32 members with distinct keys") {
  const auto members = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i == 0 ? "k" : ",k") + std::to_string(i) + "=v";
    return list;
  };
  const std::string refused = "refused";
  const struct {
    std::string why, value, want;
  } cases[] = {
      {"two vendors", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"},
      {"white space and empty members", " a=1 , ,\tb=2,", "a=1,b=2"},
      {"empty", "", ""},
      {"commas", ",,", ""},
      {"a tenant", "fw529a3039@dt=FfC13fe", "fw529a3039@dt=FfC13fe"},
      {"every kind of byte in a key", "0a_-*/@=1", "0a_-*/@=1"},
      {"space inside a value", "a=b c", "a=b c"},
      {"the longest key", std::string(256, 'k') + "=v", std::string(256, 'k') + "=v"},
      {"the longest value", "k=" + std::string(256, 'v'), "k=" + std::string(256, 'v')},
      {"32 members", members(32), members(32)},
      {"33 members", members(33), refused},
      {"a key too long", std::string(257, 'k') + "=v", refused},
      {"a value too long", "k=" + std::string(257, 'v'), refused},
      {"a repeated key", "a=1,b=2,a=3", refused},
      {"a key in capitals", "Foo=1", refused},
      {"no key", "=1", refused},
      {"no value", "a=", refused},
      {"no member", "a", refused},
      {"a key that begins with a sign", "_a=1", refused},
      {"space before the equals sign", "a =1", refused},
      {"two equals signs", "a=1=2", refused},
      {"a control character", "a=1\x01", refused},
      {"a byte above ASCII", "a=\xc3\xa9", refused},
  };
  for (const auto& [why, value, want] : cases) {
    CAPTURE(why);
    CHECK(parse_tracestate(value).value_or(refused) == want);
  }
}

TEST_CASE("a request's trace needs exactly one valid traceparent; its state may be dropped") {
  const auto state_of = [](const FieldsOf& fields) {
    const auto context = trace_context(fields.view());
    return context ? context->state : "no trace";
  };
  CHECK(state_of({}) == "no trace");
  CHECK(state_of({{"tracestate", "a=1"}}) == "no trace");
  CHECK(state_of({{"traceparent", kGood}}) == "");
  CHECK(state_of({{"TraceParent", kGood}, {"TraceState", "a=1"}}) == "a=1");
  CHECK(state_of({{"traceparent", kGood}, {"tracestate", "a=1"}, {"tracestate", "b=2"}}) == "a=1,b=2");
  CHECK(state_of({{"traceparent", kGood}, {"tracestate", "a=1"}, {"tracestate", "a=2"}}) == "");
  CHECK(state_of({{"traceparent", kGood}, {"traceparent", kGood}}) == "no trace");
  CHECK(state_of({{"traceparent", "00-x"}, {"tracestate", "a=1"}}) == "no trace");
}

TEST_SUITE_END();
}  // namespace volt::http::message
