// hello: the smallest service, with what load tests ask for.
#include <config/run.h>
#include <http/app.h>

#include <charconv>
#include <chrono>

namespace {

using volt::http::Request;
using volt::http::Response;
using volt::http::Status;

constexpr int kWorkMicrosecondsMax = 1'000'000;

// `/work?us=N` keeps a processor busy for N microseconds: a handler that computes.
Response work(const Request& request) {
  const std::string_view query = request.query();
  int microseconds = 0;
  if (!query.starts_with("us=")) return Response::plain(Status::bad_request);
  const auto [end, failure] = std::from_chars(query.data() + 3, query.data() + query.size(), microseconds);
  const bool valid = failure == std::errc{} && end == query.data() + query.size();
  if (!valid || microseconds < 0 || microseconds > kWorkMicrosecondsMax) return Response::plain(Status::bad_request);
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < until) {
  }
  return Response::fixed("done\n");
}

}  // namespace

int main(int argc, char** argv) {
  volt::http::App app;
  app.get("/", [] { return Response::fixed("Hello, World!", "text/plain"); });
  app.get("/plaintext", [] { return Response::fixed("Hello, World!", "text/plain"); });
  app.get("/json", [] { return Response::json(R"({"message":"Hello, World!"})"); });
  app.get("/work", work);
  return volt::run(std::move(app), argc, argv);
}
