// SPDX-License-Identifier: MIT

// The text of a request to a collector, byte by byte. tests/e2e/traces_test.py checks whole requests of a server.
#include "http/tracing/internal/otlp_json.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <string>
#include <string_view>

#include "http/message/trace_context.h"

namespace volt::http::otlp {
namespace {

using tracing::SpanData;
using tracing::SpanKind;
using tracing::SpanStatus;
using tracing::Timestamp;

SpanData make_span() {
  const auto parent = *message::TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  SpanData span;
  span.context = {.trace_id = parent.trace_id, .span_id = parent.span_id, .sampled = true};
  span.name = "render";
  span.start = Timestamp(std::chrono::nanoseconds(1'700'000'000'000'000'001));
  span.end = Timestamp(std::chrono::nanoseconds(1'700'000'000'000'000'002));
  return span;
}

std::string json_of(const SpanData& span, const tracing::TracerOptions& options = {}) {
  OtlpJson json(options);
  json.add(span);
  return std::move(json).take();
}

// The part after the head of the document, up to its closing brackets.
std::string span_in(const std::string& document) {
  const std::string_view begin = R"("spans":[)";
  const std::size_t at = document.find(begin) + begin.size();
  REQUIRE(document.ends_with("]}]}]}"));
  return document.substr(at, document.size() - at - 6);
}

}  // namespace

TEST_SUITE_BEGIN("http/tracing/internal/otlp_json");

TEST_CASE("a span has its ids in hexadecimal digits and its times as texts") {
  CHECK(span_in(json_of(make_span())) ==
        R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","flags":257,"name":"render",)"
        R"("kind":1,"startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000002","status":{}})");
}

TEST_CASE("a span has what it recorded") {
  SpanData span = make_span();
  span.context.random_trace_id = true;
  span.parent = tracing::SpanId{std::byte{0xab}};
  span.parent_is_remote = true;
  span.trace_state = "a=1,b=2";
  span.kind = SpanKind::client;
  span.status = SpanStatus::error;
  span.status_message = "a \"quoted\" text";
  span.attributes = {{"text", std::string("line\n")}, {"number", std::int64_t{-5}}, {"fact", true}, {"half", 0.5}};
  span.dropped_attributes = 3;
  span.events = {{.name = "first", .time = span.start, .attributes = {{"why", std::string("because")}}},
                 {.name = "second", .time = span.end, .attributes = {}}};
  span.dropped_events = 4;
  CHECK(span_in(json_of(span)) ==
        R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","traceState":"a=1,b=2",)"
        R"("parentSpanId":"ab00000000000000","flags":771,"name":"render","kind":3,)"
        R"("startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000002","attributes":[)"
        R"({"key":"text","value":{"stringValue":"line\n"}},{"key":"number","value":{"intValue":"-5"}},)"
        R"({"key":"fact","value":{"boolValue":true}},{"key":"half","value":{"doubleValue":0.5}}],)"
        R"("droppedAttributesCount":3,"events":[{"timeUnixNano":"1700000000000000001","name":"first","attributes":[)"
        R"({"key":"why","value":{"stringValue":"because"}}]},)"
        R"({"timeUnixNano":"1700000000000000002","name":"second"}],"droppedEventsCount":4,)"
        R"("status":{"code":2,"message":"a \"quoted\" text"}})");
}

TEST_CASE("numbers that JSON lacks have names") {
  using Limits = std::numeric_limits<double>;
  SpanData span = make_span();
  span.attributes = {{"a", Limits::infinity()}, {"b", -Limits::infinity()}, {"c", Limits::quiet_NaN()}};
  const std::string text = json_of(span);
  for (const char* value :
       {R"({"doubleValue":"Infinity"})", R"({"doubleValue":"-Infinity"})", R"({"doubleValue":"NaN"})"}) {
    CHECK(text.contains(value));
  }
}

TEST_CASE("a document has the resource, and all spans in one scope") {
  OtlpJson json({.service_name = "shop", .resource = {{"service.version", "1.2"}}});
  json.add(make_span());
  json.add(make_span());
  const std::string text = std::move(json).take();
  CHECK(text.starts_with(R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":)"
                         R"({"stringValue":"shop"}},{"key":"telemetry.sdk.name","value":{"stringValue":"volt"}},)"));
  CHECK(text.contains(
      R"({"key":"service.version","value":{"stringValue":"1.2"}}]},"scopeSpans":[{"scope":{"name":"volt")"));
  CHECK(text.contains(R"("status":{}},{"traceId":)"));
}

TEST_SUITE_END();

}  // namespace volt::http::otlp
