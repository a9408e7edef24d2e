// SPDX-License-Identifier: MIT

// DeflateParameters: the negotiated parameters of permessage-deflate, RFC 7692 section 7.1. An end that keeps no
// context begins each message with an empty window.
#pragma once

namespace volt::http::websocket {

struct DeflateParameters {
  bool server_no_context_takeover = false;
  bool client_no_context_takeover = false;
  int server_max_window_bits = 15;
  int client_max_window_bits = 15;

  bool operator==(const DeflateParameters&) const = default;
};

}  // namespace volt::http::websocket
