// chat: rooms over WebSocket, and the page to talk in.
#include <config/run.h>

#include "apps/chat/chat.h"

int main(int argc, char** argv) {
  volt::http::App app = chat::make_app();
  return volt::run(app, argc, argv);
}
