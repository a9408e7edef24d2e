// The lines of an event stream (WHATWG HTML, section 9.2.5, "Parsing an event stream").
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::message {

struct ServerEvent {
  std::string_view event = {};                // its type; empty: "message"
  std::optional<std::string_view> data = {};  // any text; none, and no type either: nobody is told of an event
  std::optional<std::string_view> id = {};    // what a client that connects again sends as Last-Event-ID
  std::optional<std::chrono::milliseconds> retry = {};  // until it connects again
};

// Throws std::invalid_argument for an event or id that holds CR, LF or NUL, and for a negative retry.
void append_event(const ServerEvent& event, std::string& out);

// What clients skip; every line of it.
void append_comment(std::string_view text, std::string& out);

}  // namespace volt::http::message
