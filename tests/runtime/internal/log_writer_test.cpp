// SPDX-License-Identifier: MIT

// Files and priorities, through Log.
#include "runtime/internal/log_writer.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <latch>
#include <string>
#include <string_view>
#include <system_error>

#include "runtime/base/atomic.h"
#include "tests/support/allocated_bytes.h"
#include "tests/support/directory.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the lines without their times.
std::string without_times(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t time = line.find("20");
    lines.append(line.substr(0, time)).append(line.substr(line.find(' ') + 1));
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/internal/log_writer");

TEST_CASE("lines are appended to the file, which is created if it is missing and which others cannot read") {
  const test::Directory folder;
  const std::string path = (folder.path() / "app.log").string();
  for (const char* const text : {"first", "second"}) Log({.file = path}).write(LogLevel::info, text);
  CHECK(without_times(content(path)) == "info first\ninfo second\n");
  struct stat file{};
  REQUIRE(::stat(path.c_str(), &file) == 0);
  CHECK((file.st_mode & 0007) == 0);
}

TEST_CASE("a file that cannot be opened is refused by name") {
  CHECK_THROWS_WITH_AS(Log({.file = "/nonexistent/app.log"}),
                       "log.file: cannot open \"/nonexistent/app.log\": No such file or directory", std::system_error);
}

TEST_CASE("after reopen(), lines go to a new file of that name") {
  const test::Directory folder;
  const std::string path = (folder.path() / "app.log").string();
  const std::string rotated = (folder.path() / "app.log.1").string();
  {
    Log log({.file = path});
    log.write(LogLevel::info, "before");
    REQUIRE(eventually([&] { return content(path).contains("before\n"); }));
    REQUIRE(::rename(path.c_str(), rotated.c_str()) == 0);
    log.write(LogLevel::info, "renamed");
    REQUIRE(eventually([&] { return content(rotated).contains("renamed\n"); }));
    CHECK(!log.reopen());
    log.write(LogLevel::info, "after");
  }
  CHECK(without_times(content(rotated)) == "info before\ninfo renamed\n");
  CHECK(without_times(content(path)) == "info after\n");
}

TEST_CASE("if reopen() fails, lines go to the file that was open before") {
  const test::Directory folder;
  const std::string path = (folder.path() / "sub").string();
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  const std::string file = path + "/app.log";
  const std::string moved = (folder.path() / "moved").string();
  {
    Log log({.file = file});
    log.write(LogLevel::info, "before");
    REQUIRE(::rename(path.c_str(), moved.c_str()) == 0);
    CHECK(log.reopen() == std::errc::no_such_file_or_directory);
    log.write(LogLevel::info, "after");
  }
  CHECK(without_times(content(moved + "/app.log")) == "info before\ninfo after\n");
}

TEST_CASE("reopen() of a log without a file does nothing") {
  std::string text;
  {
    Log log({.flush_timeout = std::chrono::minutes(1), .sink = [&text](std::string_view lines) { text += lines; }});
    CHECK(!log.reopen());
    log.write(LogLevel::info, "written");
  }
  CHECK(without_times(text) == "info written\n");
}

TEST_CASE("each line begins with its priority, also a line that is written as it is") {
  std::string text;
  {
    Log log({.level = LogLevel::debug,
             .flush_timeout = std::chrono::minutes(1),
             .priorities = true,
             .sink = [&text](std::string_view lines) { text += lines; }});
    log.write(LogLevel::debug, "a");
    log.write(LogLevel::info, "b");
    log.write(LogLevel::warning, "c");
    log.write(LogLevel::error, "d");
    log.write_line("2026 e\n");
  }
  CHECK(without_times(text) == "<7>debug a\n<6>info b\n<4>warning c\n<3>error d\n<6>e\n");
}

TEST_CASE("the memory of a large backlog is freed when it has been written") {
  const std::string line = std::string(1023, 'x') + "\n";
  constexpr std::size_t kLines = 4096;
  std::latch may_write(1);
  base::Atomic<std::size_t> written_bytes{0};
  Log log({.buffer_bytes = 2 * kLines * line.size(),
           .flush_timeout = std::chrono::minutes(1),
           .sink = [&](std::string_view lines) {
             may_write.wait();
             written_bytes.fetch_add(lines.size(), base::relaxed);  // relaxed: a count
           }});
  const std::size_t allocated_before = test::allocated_bytes();
  for (std::size_t i = 0; i != kLines; ++i) log.write_line(line);
  may_write.count_down();
  CHECK(eventually([&] { return written_bytes.load(base::relaxed) == kLines * line.size(); }));  // relaxed: a count
  const std::size_t allocated_max = allocated_before + kLines * line.size() / 4;
  if (!test::kSanitized) CHECK(eventually([&] { return test::allocated_bytes() < allocated_max; }));
  CHECK(log.dropped() == 0);
}

TEST_SUITE_END();
}  // namespace volt
