// SPDX-License-Identifier: MIT

// ops-demo: the operators' page under load. The log has its address.
#include <config/run.h>

#include "apps/ops-demo/demo.h"

int main(int argc, char** argv) {
  volt::http::App app = demo::make_app();
  app.ops("127.0.0.1:9090");
  return volt::run(app, argc, argv);
}
