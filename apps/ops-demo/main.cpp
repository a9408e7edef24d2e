// ops-demo: the operators' page, with something to look at. The log says where it is.
#include <config/run.h>

#include "apps/ops-demo/demo.h"

int main(int argc, char** argv) {
  volt::http::App app = demo::make_app();
  app.ops("127.0.0.1:9090");
  return volt::run(app, argc, argv);
}
