// SPDX-License-Identifier: MIT

#include "http/message/server_event.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace volt::http::message {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

std::string lines_of(const ServerEvent& event) {
  std::string out;
  append_event(event, out);
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("http/message/server_event");

TEST_CASE("an event is written in the format of WHATWG HTML section 9.2.5") {
  const struct {
    std::string_view why;
    ServerEvent event;
    std::string want;
  } cases[] = {
      {"data alone", {.data = "hello"}, "data: hello\n\n"},
      {"everything",
       {.event = "news", .data = "hello", .id = "7", .retry = 1500ms},
       "event: news\nid: 7\nretry: 1500\ndata: hello\n\n"},
      {"empty data is an event too", {.data = ""}, "data: \n\n"},
      {"a type without data would be dropped by clients", {.event = "tick"}, "event: tick\ndata: \n\n"},
      {"an id alone dispatches no event", {.id = "7"}, "id: 7\n\n"},
      {"an empty id resets the last one", {.id = ""}, "id: \n\n"},
      {"retry alone", {.retry = 0ms}, "retry: 0\n\n"},
      {"lines", {.data = "a\nb"}, "data: a\ndata: b\n\n"},
      {"CR LF is one line end", {.data = "a\r\nb"}, "data: a\ndata: b\n\n"},
      {"CR ends a line", {.data = "a\rb"}, "data: a\ndata: b\n\n"},
      {"LF CR are two", {.data = "a\n\rb"}, "data: a\ndata: \ndata: b\n\n"},
      {"a line end at the end is part of the data", {.data = "a\n"}, "data: a\ndata: \n\n"},
      {"nothing but line ends", {.data = "\r\n\r"}, "data: \ndata: \ndata: \n\n"},
      {"no field can be smuggled in", {.data = "a\rid: 666"}, "data: a\ndata: id: 666\n\n"},
      {"a leading space stays: clients remove only the separator", {.data = " a"}, "data:  a\n\n"},
      {"NUL in data is data", {.data = "a\0b"sv}, std::string("data: a\0b\n\n"sv)},
  };
  for (const auto& [why, event, want] : cases) {
    CAPTURE(why);
    CHECK(lines_of(event) == want);
  }
}

TEST_CASE("a type and an id must be single lines") {
  for (const std::string_view bad : {"a\nb"sv, "a\rb"sv, "\n"sv, "a\0"sv}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(lines_of({.event = bad, .data = "x"}), std::invalid_argument);
    CHECK_THROWS_AS(lines_of({.data = "x", .id = bad}), std::invalid_argument);
  }
  CHECK_THROWS_AS(lines_of({.retry = -1ms}), std::invalid_argument);
}

TEST_CASE("each line of a comment begins with a colon") {
  std::string out;
  append_comment("", out);
  append_comment("a\r\nb\rdata: c", out);
  CHECK(out == ": \n\n: a\n: b\n: data: c\n\n");
}

TEST_SUITE_END();

}  // namespace volt::http::message
