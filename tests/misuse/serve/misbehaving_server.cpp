// SPDX-License-Identifier: MIT

// A server with the mistakes of programs that do not end, that die, or that set up their app wrongly
// (misbehaving_server_test.py). The environment variable MISTAKE names what it does besides serving.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "config/run.h"
#include "http/client/client.h"
#include "http/http.h"
#include "runtime/blocking.h"
#include "runtime/spawn.h"
#include "runtime/tcp.h"
#include "runtime/time.h"

namespace {

using namespace volt;
using namespace volt::http;
using namespace std::chrono_literals;

std::unique_ptr<TcpStream> g_stream;

Task<> swallow_cancelled() {
  for (;;) {
    try {
      co_await sleep_for(1h);
    } catch (const Cancelled&) {  // the mistake
    }
  }
}

Task<> call_without_end() {
  co_await blocking([] {
    for (;;) ::pause();
  });
}

Task<std::string> fetch(HttpClient& client, std::string url) {
  ClientRequest request(Method::get, url);
  Result<ClientResponse> response = co_await client.send(std::move(request));
  if (!response) co_return response.error().message();
  const Result<std::string> body = co_await response->text();
  co_return body.value_or("failed");
}

Task<std::string> connect_for_ever(std::string address) {
  Result<TcpStream> stream = co_await TcpStream::connect(*Address::parse(address));
  if (!stream) co_return stream.error().message();
  g_stream = std::make_unique<TcpStream>(std::move(*stream));
  std::byte byte{};
  g_stream->set_read_deadline_in(10ms);
  static_cast<void>(co_await g_stream->read({&byte, 1}));  // waits, so that the stream gets a home
  co_return "connected";
}

[[gnu::noinline]] int overflow_stack(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth < 0) return frame[0];  // never
  return overflow_stack(depth + 1) + frame[0];
}

}  // namespace

int main(int argc, char** argv) {
  HttpClient client;  // lives longer than the runtime
  const char* variable = std::getenv("MISTAKE");
  const std::string_view mistake = variable != nullptr ? variable : "";
  App app;
  app.get("/", [] { return "fine\n"; });
  app.get("/fetch/{port}", [&client](Path<int> port) -> Task<std::string> {
    co_return co_await fetch(client, "http://127.0.0.1:" + std::to_string(*port) + "/");
  });
  app.get("/connect/{port}", [](Path<int> port) -> Task<std::string> {
    co_return co_await connect_for_ever("127.0.0.1:" + std::to_string(*port));
  });
  app.get("/big", [] { return std::string(10'000'000, 'x'); });
  app.get("/segv", [] {
    log(LogLevel::info, "the last line before the crash");
    const volatile std::uintptr_t nowhere = 16;  // g++ refuses an address that it can see
    *reinterpret_cast<volatile int*>(nowhere) = 1;
    return "";
  });
  app.get("/abort", []() -> std::string { std::abort(); });
  app.get("/overflow", [] { return std::to_string(overflow_stack(0)); });
  if (mistake == "same_route") app.get("/", [] { return "again"; });
  if (mistake == "prefix") app.group("api/").get("/", [] { return "never"; });
  if (mistake == "folder") app.files("/x", "no/such/folder");
  if (mistake == "swallow") app.background(swallow_cancelled);
  if (mistake == "blocking") app.background(call_without_end);
  return volt::run(app, argc, argv);
}
