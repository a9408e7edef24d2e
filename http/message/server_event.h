// SPDX-License-Identifier: MIT

// Writes the lines of an event stream (WHATWG HTML, section 9.2.5, "Parsing an event stream").
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::message {

struct ServerEvent {
  std::string_view event = {};                          // event type; empty means "message"
  std::optional<std::string_view> data = {};            // any text; without data and type no event is dispatched
  std::optional<std::string_view> id = {};              // sent by a reconnecting client as Last-Event-ID
  std::optional<std::chrono::milliseconds> retry = {};  // delay before a client reconnects
};

// Appends `event`, then an empty line. Throws std::invalid_argument if the type or id holds CR, LF or NUL, and if retry
// is negative.
void append_event(const ServerEvent& event, std::string& out);

// Appends a comment, which clients ignore: one comment line per line of `text`.
void append_comment(std::string_view text, std::string& out);

}  // namespace volt::http::message
