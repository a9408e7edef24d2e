// SPDX-License-Identifier: MIT

// echo: a TCP echo server on the runtime alone. It links only volt_runtime, so it proves that the runtime stands alone.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "runtime/runtime.h"
#include "runtime/tcp.h"

namespace {

volt::Task<> echo(volt::TcpStream stream) {
  std::array<std::byte, 4096> buffer;
  for (;;) {
    const volt::Result<std::size_t> received = co_await stream.read(buffer);
    if (!received || *received == 0) co_return;
    if (!co_await stream.write_all(std::span(buffer).first(*received))) co_return;
  }
}

volt::Task<int> serve(volt::TcpListener listener) {
  for (;;) {
    volt::Result<volt::TcpStream> stream = co_await listener.accept();
    if (!stream) {
      std::fprintf(stderr, "echo: %s\n", stream.error().message().c_str());
      co_return 1;
    }
    volt::spawn(echo, std::move(*stream)).detach();
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Process 1 of a container ignores signals without a handler.
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, [](int) { std::_Exit(0); });
  const auto address = volt::Address::parse(argc > 1 ? argv[1] : "127.0.0.1:7777");
  if (!address) {
    std::fprintf(stderr, "usage: echo [ADDRESS:PORT]\n");
    return 2;
  }
  auto listener = volt::TcpListener::bind(*address);
  if (!listener) {
    std::fprintf(stderr, "echo: %s: %s\n", address->to_string().c_str(), listener.error().message().c_str());
    return 1;
  }
  std::printf("echo: listening on %s\n", listener->local_address().to_string().c_str());
  volt::Runtime runtime;
  return runtime.block_on(serve, std::move(*listener));
}
