// SPDX-License-Identifier: MIT

// hello: the smallest service, with the routes that the load tests use.
#include <config/run.h>
#include <http/http.h>

#include <chrono>
#include <string>

namespace {

using volt::http::Query;
using volt::http::Response;

struct Message {
  std::string message;
};

struct Work {
  int us;
};

constexpr int kWorkMicrosecondsMax = 1'000'000;

// `/work?us=N` keeps a processor busy for N microseconds: a handler that computes.
Response work(Query<Work> query) {
  if (query->us < 0 || query->us > kWorkMicrosecondsMax) throw volt::http::bad_request("us is 0 to 1000000");
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(query->us);
  while (std::chrono::steady_clock::now() < until) {
  }
  return Response::fixed("done\n");
}

}  // namespace

int main(int argc, char** argv) {
  volt::http::App app;
  app.get("/", [] { return Response::fixed("Hello, World!", "text/plain"); });
  app.get("/plaintext", [] { return Response::fixed("Hello, World!", "text/plain"); });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/work", work);
  return volt::run(app, argc, argv);
}
