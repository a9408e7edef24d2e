// sse: events that a page shows as they happen.
#include <config/run.h>

#include "apps/sse/sse.h"

int main(int argc, char** argv) {
  volt::http::App app = sse::make_app();
  return volt::run(app, argc, argv);
}
