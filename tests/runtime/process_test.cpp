// SPDX-License-Identifier: MIT

#include "runtime/process.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

Command shell(std::string script) { return Command("sh").arg("-c").arg(std::move(script)); }

Task<std::string> read_all(UnixStream& stream) {
  std::string text;
  std::vector<std::byte> buffer(64 * 1024);
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), *count);
  }
}

struct Outcome {
  std::string output;
  ExitStatus status;
};

// Runs the program to its end.
Task<Result<Outcome>> run(Command command) {
  command.output(Stdio::stream);
  Result<Process> process = co_await command.start();
  if (!process) co_return std::unexpected(process.error());
  std::string output = co_await read_all(process->output());
  const Result<ExitStatus> status = co_await process->wait();
  if (!status) co_return std::unexpected(status.error());
  co_return Outcome{std::move(output), *status};
}

std::string text_of(const Result<Outcome>& outcome) {
  if (!outcome) return outcome.error().message();
  return outcome->output + " " + std::to_string(outcome->status.code) + " " + std::to_string(outcome->status.signal);
}

bool no_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/process");

TEST_CASE("a program gets its arguments, environment, directory and streams, and its status is reported") {
  Runtime runtime(test_options());
  const test::Directory directory;
  const std::string path = directory.path();
  struct Case {
    std::string why;
    Command command;
    std::string want;
  };
  const Case cases[] = {
      {"arguments are passed unchanged", Command("printf").arg("%s|").arg("a b").arg("$c").arg(""), "a b|$c|| 0 0"},
      {"an exit code", shell("exit 7"), " 7 0"},
      {"a signal", shell("kill -9 $$"), " 0 9"},
      {"a directory", shell("pwd -P").directory(path), path + "\n 0 0"},
      {"the environment is inherited by default", shell("test -n \"$PATH\""), " 0 0"},
      {"a given environment replaces the inherited one", Command("/usr/bin/env").environment({"A=b"}), "A=b\n 0 0"},
      {"no input", shell("cat").input(Stdio::none), " 0 0"},
      {"errors are discarded", shell("echo lost >&2; echo kept").errors(Stdio::none), "kept\n 0 0"},
      {"no signal is blocked", shell("kill -USR1 $$; echo alive"), " 0 " + std::to_string(SIGUSR1)},
      {"no other descriptors are inherited", shell("ls -l /proc/$$/fd | grep -c anon_inode; true"), "0\n 0 0"},
      {"no such program", Command("/no/such/program"),
       std::make_error_code(std::errc::no_such_file_or_directory).message()},
      {"no such directory", shell("true").directory("/no/such"),
       std::make_error_code(std::errc::no_such_file_or_directory).message()},
  };
  for (const auto& [why, command, want] : cases) {
    CAPTURE(why);
    CHECK(text_of(runtime.block_on(run, command)) == want);
  }
  CHECK(no_children());
}

TEST_CASE("a program echoes its input, of any size") {
  Runtime runtime(test_options());
  const std::string text(1'000'000, 'x');
  runtime.block_on([&]() -> Task<> {
    Result<Process> cat = co_await Command("cat").input(Stdio::stream).output(Stdio::stream).start();
    REQUIRE(cat);
    const auto write = [&]() -> Task<> {
      const Result<void> written = co_await cat->input().write_all(std::as_bytes(std::span(text)));
      CHECK(written);
      cat->input().shutdown_write();
    };
    const auto [done, back] = co_await all(write, [&] { return read_all(cat->output()); });
    CHECK(back == text);
    const Result<ExitStatus> status = co_await cat->wait();
    CHECK(status->ok());
    const Result<ExitStatus> same = co_await cat->wait();
    CHECK(same->ok());
    CHECK(cat->send_signal(SIGTERM));  // no effect: the program has ended
  });
  CHECK(no_children());
}

TEST_CASE("a signal ends a program, and destroying a Process kills its program and leaves no zombie") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    Result<Process> told = co_await Command("sleep").arg("1000").start();
    REQUIRE(told);
    CHECK(told->send_signal(SIGTERM));
    const Result<ExitStatus> status = co_await told->wait();
    CHECK(status->signal == SIGTERM);
    const Result<Process> dropped = co_await Command("sleep").arg("1000").start();
    CHECK(dropped);
  });
  CHECK(test::eventually(no_children));
}

TEST_CASE("a cancelled wait leaves the program running until its Process is destroyed") {
  const std::size_t before = test::open_descriptors();
  {
    Runtime runtime(test_options());
    const auto sleep_long = []() -> Task<> {
      Result<Process> process = co_await Command("sleep").arg("1000").start();
      [[maybe_unused]] const Result<ExitStatus> status = co_await process->wait();
    };
    JoinHandle<void> cancelled = runtime.spawn(sleep_long);
    CHECK(test::eventually([] { return !no_children(); }));
    cancelled.cancel();
    CHECK(runtime.block_on(test::outcome_of<void>, std::move(cancelled)) == test::Outcome::cancelled);
    CHECK(test::eventually(no_children));
    // The Process is also destroyed when its runtime ends.
    runtime.spawn(sleep_long).detach();
    CHECK(test::eventually([] { return !no_children(); }));
  }
  CHECK(no_children());
  CHECK(test::open_descriptors() == before);
}

}  // namespace volt
