// SPDX-License-Identifier: MIT

// Announcement: what processes tell each other over the channel of a backend, as one text.
//
//   m <epoch> <sequence> <bytes of the topic> <topic>+<data>    a message
//   m <epoch> <sequence> <bytes of the topic> <topic>-          a message whose data is to be read from the backend
//   j <members> 0 <bytes of the topic> <topic>+<member>         a member has joined; `members` counts it
//   l <members> 0 <bytes of the topic> <topic>+<member>         a member has left
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/topics/topic_backend.h"
#include "runtime/task.h"

namespace volt::topics::internal {

struct Announcement {
  char kind = 'm';
  std::uint64_t first = 0;  // the epoch or the number of members
  std::uint64_t sequence = 0;
  std::string topic;
  std::optional<std::string> rest;  // the data or the member
};

// Returns nullopt for a text that another program has sent.
std::optional<Announcement> parse_announcement(std::string_view text);

// Passes an announcement on. Reads the data of a message from `backend` if it has none.
[[nodiscard]] Task<> pass_on(Announcement announcement, http::TopicBackend& backend, http::TopicSink& sink);

// A name that no other process has: 128 random bits in hexadecimal.
std::string random_process_name();
// The epoch of a new topic.
std::uint32_t random_epoch() noexcept;

}  // namespace volt::topics::internal
