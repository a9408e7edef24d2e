// SPDX-License-Identifier: MIT

// chat: chat rooms over WebSocket, and a web page for them.
#include <config/run.h>

#include "apps/chat/chat.h"

int main(int argc, char** argv) {
  volt::http::App app = chat::make_app();
  return volt::run(app, argc, argv);
}
