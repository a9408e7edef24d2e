// SPDX-License-Identifier: MIT

// A handler that crashes two coroutines deep, while another task waits: the program of debugger_test.py.
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "runtime/spawn.h"
#include "runtime/time.h"

namespace {

using namespace volt;
using namespace volt::http;
using namespace std::chrono_literals;

Task<> wait_for_news() { co_await sleep_for(1h); }

Task<> watch_news() {
  co_await wait_for_news();
  co_return;
}

Task<std::string> render(int rows) {
  co_await yield();
  if (rows != 0) std::abort();
  co_return "report\n";
}

Task<std::string> report() {
  std::string page = co_await render(7);
  co_return page;
}

}  // namespace

int main() {
  App app;
  app.get("/report/{name}", [](Path<std::string>) -> Task<std::string> {
    spawn(watch_news).detach();
    std::string page = co_await report();
    co_return page;
  });
  TestClient client(std::move(app));
  return client.get("/report/yearly").send().status() == Status::ok ? 0 : 1;
}
