// SPDX-License-Identifier: MIT

// sse: server-sent events, and a web page that shows them.
#include <config/run.h>

#include "apps/sse/sse.h"

int main(int argc, char** argv) {
  volt::http::App app = sse::make_app();
  return volt::run(app, argc, argv);
}
