// SPDX-License-Identifier: MIT

// Encodes frames, RFC 6455 section 5.2.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "http/websocket/protocol/frame.h"

namespace volt::http::websocket {

// Appends the frame to `out`, with the length in as few bytes as possible.
void append_frame(std::string& out, const FrameHead& head, std::string_view payload);

}  // namespace volt::http::websocket
