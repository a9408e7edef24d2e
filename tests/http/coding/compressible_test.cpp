// SPDX-License-Identifier: MIT

#include "http/coding/compressible.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace volt::http::coding {
TEST_SUITE_BEGIN("http/coding/compressible");

TEST_CASE("text and sparse formats are compressible") {
  const struct {
    std::string content_type;
    bool want;
  } cases[] = {
      {"text/html", true},
      {"text/plain; charset=utf-8", true},
      {"TEXT/CSS", true},
      {"text/event-stream", true},
      {"text/javascript;charset=utf-8", true},
      {"application/json", true},
      {"Application/JSON ; charset=utf-8", true},
      {"application/problem+json", true},
      {"application/vnd.api+json; profile=\"a;b\"", true},
      {"application/javascript", true},
      {"application/xml", true},
      {"application/atom+xml", true},
      {"application/wasm", true},
      {"application/x-ndjson", true},
      {"application/x-www-form-urlencoded", true},
      {"image/svg+xml", true},
      {"image/x-icon", true},
      {"font/ttf", true},

      {"font/woff2", false},
      {"image/png", false},
      {"image/jpeg", false},
      {"image/webp", false},
      {"video/mp4", false},
      {"audio/mpeg", false},
      {"application/zip", false},
      {"application/gzip", false},
      {"application/pdf", false},
      {"application/octet-stream", false},
      {"multipart/form-data; boundary=text/html", false},
      {"application/jsonx", false},
      {"application/x; a=application/json", false},
      {"+json", false},
      {"text", false},
      {"texty/plain", false},
      {"", false},
      {";", false},
  };
  for (const auto& [content_type, want] : cases) {
    CAPTURE(content_type);
    CHECK(compressible_media_type(content_type) == want);
  }
}

TEST_CASE("server-sent events need a flush per event") {
  CHECK(needs_flush_per_event("text/event-stream"));
  CHECK(needs_flush_per_event("Text/Event-Stream; charset=utf-8"));
  CHECK_FALSE(needs_flush_per_event("text/event-streams"));
  CHECK_FALSE(needs_flush_per_event("text/html"));
}

TEST_CASE("responses that must not change or would gain nothing are not compressed") {
  using Lines = std::vector<std::pair<std::string, std::string>>;
  const std::pair<std::string, std::string> html{"Content-Type", "text/html"};
  const struct {
    std::string why;
    Status status;
    Lines fields;
    std::optional<std::size_t> size_bytes;
    bool want;
  } cases[] = {
      {"a page", Status::ok, {html}, 1024, true},
      {"one byte too small", Status::ok, {html}, 1023, false},
      {"nothing", Status::ok, {html}, 0, false},
      {"streamed: the size is unknown", Status::ok, {html}, {}, true},
      {"an error page", Status::not_found, {html}, 5000, true},
      {"a redirection's page", Status::found, {html}, 5000, true},
      {"1xx has no content", Status::early_hints, {html}, 5000, false},
      {"204 has no content", Status::no_content, {html}, {}, false},
      {"205 has no content", Status::reset_content, {html}, {}, false},
      {"206 is a part of the unencoded bytes", Status::partial_content, {html}, 5000, false},
      {"304 has no content", Status::not_modified, {html}, 5000, false},
      {"a part with another status", Status::ok, {html, {"Content-Range", "bytes 0-1/2"}}, 5000, false},
      {"already encoded", Status::ok, {html, {"content-encoding", "br"}}, 5000, false},
      {"identity stated explicitly", Status::ok, {html, {"Content-Encoding", "identity"}}, 5000, false},
      {"no media type", Status::ok, {}, 5000, false},
      {"a dense media type", Status::ok, {{"Content-Type", "image/png"}}, 5000, false},
      {"9111 5.2.2.6: no-transform", Status::ok, {html, {"Cache-Control", "no-transform"}}, 5000, false},
      {"no-transform in a list",
       Status::ok,
       {html, {"Cache-Control", "public,  No-Transform , max-age=5"}},
       5000,
       false},
      {"no-transform on the second line",
       Status::ok,
       {{"Cache-Control", "public"}, html, {"cache-control", "no-transform"}},
       5000,
       false},
      {"another directive", Status::ok, {html, {"Cache-Control", "no-store"}}, 5000, true},
      {"no-transform in quotes", Status::ok, {html, {"Cache-Control", "private=\"a, no-transform, b\""}}, 5000, true},
      {"no-transform in another field", Status::ok, {html, {"X-Cache-Control", "no-transform"}}, 5000, true},
  };
  for (const auto& [why, status, lines, size_bytes, want] : cases) {
    CAPTURE(why);
    FieldList fields;
    for (const auto& [name, value] : lines) fields.add(name, value);
    CHECK(worth_compressing(status, fields.find("content-type").value_or(""), fields, size_bytes) == want);
  }
}

TEST_CASE("the minimum size is an option") {
  const FieldList fields;
  CHECK(worth_compressing(Status::ok, "text/plain", fields, 10, {.bytes_min = 10}));
  CHECK_FALSE(worth_compressing(Status::ok, "text/plain", fields, 9, {.bytes_min = 10}));
  CHECK(worth_compressing(Status::ok, "text/plain", fields, 0, {.bytes_min = 0}));
}

TEST_SUITE_END();
}  // namespace volt::http::coding
