// SPDX-License-Identifier: MIT

#include "runtime/log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/log_line.h"
#include "runtime/runtime.h"
#include "runtime/task.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using test::eventually;

std::string composed(LogFormat format, std::string_view message, std::initializer_list<LogField> fields,
                     LogLevel level = LogLevel::info) {
  using namespace std::chrono;
  const sys_time<milliseconds> time(sys_days(2026y / 11 / 20) + 17h + 8min + 22s + 123ms);
  LogLine line;
  compose({time, level, message, std::span(fields.begin(), fields.size())}, format, line);
  return std::string(line.view());
}

// A pipe, and the text that was read from it.
class Pipe {
 public:
  Pipe() {
    REQUIRE(::pipe2(ends_, O_CLOEXEC) == 0);
    size_ = static_cast<std::size_t>(::fcntl(ends_[1], F_SETPIPE_SZ, 4096));
  }
  ~Pipe() {
    close_reader();
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int writer() const noexcept { return ends_[1]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void close_reader() noexcept {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  // Returns the text that is available now.
  std::string read() {
    std::string text;
    pollfd readable{ends_[0], POLLIN, 0};
    char part[4096];
    while (::poll(&readable, 1, 0) == 1 && (readable.revents & POLLIN) != 0) {
      text.append(part, static_cast<std::size_t>(::read(ends_[0], part, sizeof part)));
    }
    return text;
  }

 private:
  int ends_[2] = {-1, -1};
  std::size_t size_ = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Task<> log_in_task(std::string message) {
  log(LogLevel::warning, message, {{"worker", true}});
  log_line("as it is\n");
  co_return;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/log");

TEST_CASE("each format writes one line for an entry") {
  const std::initializer_list<LogField> fields = {
      {"path", "/a b"},   {"plain", "a/b"}, {"count", 7u},     {"delta", -7}, {"fact", true},
      {"took", 12'500us}, {"early", -1us},  {"none", nullptr}, {"empty", ""},
  };
  CHECK(composed(LogFormat::text, "listening on [::]:80", fields) ==
        "2026-11-20T17:08:22.123Z info listening on [::]:80 path=\"/a b\" plain=a/b count=7 delta=-7 fact=true "
        "took=12.500 early=-0.001 none=- empty=\"\"\n");
  CHECK(composed(LogFormat::logfmt, "listening on [::]:80", fields, LogLevel::error) ==
        "time=2026-11-20T17:08:22.123Z level=error msg=\"listening on [::]:80\" path=\"/a b\" plain=a/b count=7 "
        "delta=-7 fact=true took=12.500 early=-0.001 none=- empty=\"\"\n");
  CHECK(composed(LogFormat::json, "listening on [::]:80", fields, LogLevel::warning) ==
        R"({"time":"2026-11-20T17:08:22.123Z","level":"warning","msg":"listening on [::]:80","path":"/a b",)"
        R"("plain":"a/b","count":7,"delta":-7,"fact":true,"took":12.500,"early":-0.001,"none":null,"empty":""})"
        "\n");
  CHECK(composed(LogFormat::text, "a", {{"least", std::numeric_limits<std::int64_t>::min()}}, LogLevel::debug) ==
        "2026-11-20T17:08:22.123Z debug a least=-9223372036854775808\n");
}

TEST_CASE("text from outside cannot end a line, close a quote, or control a terminal") {
  const std::string hostile = "x\" level=error\n{\"\x1b[2J\\\r\0\xff=";
  for (const LogFormat format : {LogFormat::text, LogFormat::logfmt, LogFormat::json}) {
    for (int byte = 0; byte != 256; ++byte) {
      const std::string text = hostile + static_cast<char>(byte);
      const std::string line = composed(format, text, {{"what", text}});
      CHECK(line.find('\n') == line.size() - 1);
      for (const char c : line.substr(0, line.size() - 1)) REQUIRE((c >= ' ' && c < '\x7f'));
    }
  }
  CHECK(composed(LogFormat::logfmt, "m", {{"what", "a=b"}}).ends_with(" what=\"a=b\"\n"));
  CHECK(composed(LogFormat::json, "a\"b", {{"what", "\n\\"}})
            .ends_with(R"("msg":"a\"b","what":"\u000a\\"})"
                       "\n"));
}

TEST_CASE("a line with long texts is complete: texts are truncated, and fields that do not fit are left out") {
  const std::string longest(100'000, '\n');
  for (const LogFormat format : {LogFormat::text, LogFormat::logfmt, LogFormat::json}) {
    const std::string line = composed(format, longest, {{"a", longest}, {"b", longest}, {"c", longest}, {"d", 7}});
    CHECK(line.size() <= LogLine::kBytesMax);
    CHECK(line.find("a=") + line.find("\"a\":") != std::string::npos);
    CHECK(line.ends_with(format == LogFormat::json ? "}\n" : "\n"));
    CHECK(std::ranges::count(line, '"') % 2 == 0);
  }
  for (std::size_t size = 3900; size != 4200; ++size) {  // covers every size near the limit of a line
    const std::string text(size / 3, 'a');
    const std::string line = composed(LogFormat::json, text, {{"a", text}, {"b", text}, {"c", std::uint64_t{0} - 1}});
    REQUIRE(line.size() <= LogLine::kBytesMax);
    REQUIRE(line.ends_with("}\n"));
    REQUIRE(std::ranges::count(line, '"') % 2 == 0);
  }
}

TEST_CASE("lines below the level are not written, and level off writes none") {
  for (const auto& [level, want] : {std::pair(LogLevel::debug, 4u), {LogLevel::warning, 2u}, {LogLevel::off, 0u}}) {
    std::string text;
    {
      Log log({.level = level, .flush_timeout = 60s, .sink = [&text](std::string_view lines) { text += lines; }});
      for (const LogLevel each : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::off}) {
        log.write(each, "a");
      }
    }
    CHECK(lines_of(text).size() == want);
  }
}

TEST_CASE("the destructor of a log writes pending lines in order") {
  const Pipe pipe;
  std::string text;
  constexpr int kLines = 500;
  {
    const auto sink = [&text](std::string_view lines) { text += lines; };
    Log log({.format = LogFormat::logfmt, .flush_timeout = 60s, .sink = sink});
    for (int i = 0; i != kLines; ++i) log.write(LogLevel::info, "a", {{"i", i}});
  }
  const auto lines = lines_of(text);
  REQUIRE(lines.size() == kLines);
  for (int i = 0; i != kLines; ++i) REQUIRE(lines[static_cast<std::size_t>(i)].ends_with(" i=" + std::to_string(i)));
}

TEST_CASE("each thread's lines are whole and keep their order") {
  std::string text;
  constexpr int kThreads = 4;
  constexpr int kLines = 500;
  {
    const auto sink = [&text](std::string_view lines) { text += lines; };
    Log log({.format = LogFormat::logfmt, .flush_timeout = 60s, .sink = sink});
    std::vector<std::thread> threads;
    for (int thread = 0; thread != kThreads; ++thread) {
      threads.emplace_back([&log, thread] {
        for (int i = 0; i != kLines; ++i) log.write(LogLevel::info, "a", {{"thread", thread}, {"i", i}});
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(log.dropped() == 0);
  }
  int next[kThreads] = {};
  for (const std::string& line : lines_of(text)) {
    const int thread = line[line.find("thread=") + 7] - '0';
    REQUIRE(line.ends_with("i=" + std::to_string(next[thread]++)));
  }
  for (const int count : next) CHECK(count == kLines);
}

TEST_CASE("a full pipe blocks no writer: lines are dropped, counted, and reported when there is room") {
  Pipe pipe;
  constexpr std::size_t kBuffer = 8192;
  constexpr std::uint64_t kLines = 2000;
  std::string text;
  {
    Log log({.format = LogFormat::logfmt, .buffer_bytes = kBuffer, .fd = pipe.writer()});
    const auto began = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i != kLines; ++i) log.write(LogLevel::info, "a", {{"i", i}});
    CHECK(std::chrono::steady_clock::now() - began < 10s);
    CHECK(log.dropped() > 0);
    // If the log's thread was late, there was room before the last line was dropped: then there are several reports.
    const auto complete = [&] {
      constexpr std::string_view kReport = " level=warning msg=\"log lines were dropped\" lines=";
      text += pipe.read();
      std::uint64_t reports = 0;
      std::uint64_t reported = 0;
      const std::vector<std::string> lines = lines_of(text);
      for (const std::string& line : lines) {
        const std::size_t at = line.find(kReport);
        if (at == std::string::npos) continue;
        ++reports;
        reported += std::stoull(line.substr(at + kReport.size()));
      }
      return reported == log.dropped() && lines.size() == kLines - reported + reports;
    };
    CHECK(eventually(complete));
  }
}

TEST_CASE("the destructor of a log waits for a full pipe only until its timeout") {
  Pipe pipe;
  const auto began = std::chrono::steady_clock::now();
  {
    Log log({.flush_timeout = 50ms, .fd = pipe.writer()});
    for (int i = 0; i != 1000; ++i) log.write(LogLevel::info, "a");
  }
  CHECK(std::chrono::steady_clock::now() - began < 20s);
}

TEST_CASE("a full disk, a pipe without a reader and a closed descriptor only lose lines") {
  Pipe gone;
  gone.close_reader();
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  for (const int fd : {full, gone.writer(), -1}) {
    CAPTURE(fd);
    Log log({.flush_timeout = 50ms, .fd = fd});
    for (int i = 0; i != 10; ++i) log.write(LogLevel::info, "a");
    if (fd >= 0) CHECK(eventually([&] { return log.dropped() == 10; }, 10s));
  }
  ::close(full);
}

TEST_CASE("lines of a sink that throws are lost, and their number is reported with the next lines") {
  std::mutex mutex;
  std::string text;
  bool broken = true;
  const auto sink = [&](std::string_view lines) {
    const std::scoped_lock lock(mutex);
    if (broken) throw 7;
    text += lines;
  };
  Log log({.format = LogFormat::logfmt, .flush_timeout = 60s, .sink = sink});
  log.write(LogLevel::info, "lost");
  REQUIRE(eventually([&] { return log.dropped() == 1; }, 10s));
  {
    const std::scoped_lock lock(mutex);
    broken = false;
  }
  log.write(LogLevel::info, "found");
  const auto told = [&] {
    const std::scoped_lock lock(mutex);
    return text.find("msg=found\n") != std::string::npos && text.find("dropped\" lines=1\n") != std::string::npos;
  };
  CHECK(eventually(told, 10s));
}

TEST_CASE("the thread of a log has a name of its own, not that of the thread that logged first") {
  std::string name;
  const auto sink = [&name](std::string_view) {
    char text[16];
    REQUIRE(::pthread_getname_np(::pthread_self(), text, sizeof text) == 0);
    name = text;
  };
  {
    Log log({.flush_timeout = 60s, .sink = sink});
    std::thread([&log] {
      ::pthread_setname_np(::pthread_self(), "volt-spare");
      log.write(LogLevel::info, "first");
    }).join();
  }
  CHECK(name == "volt-log");
}

TEST_CASE("tasks log to their runtime's log, and so does the runtime itself") {
  std::string text;
  base::Atomic<bool> traced{false};
  {
    RuntimeOptions options = test_options();
    const auto sink = [&](std::string_view lines) {
      text += lines;
      if (lines.contains("msg=\"SCHED ")) traced.store(true);
    };
    options.log = std::make_shared<Log>(LogOptions{.format = LogFormat::logfmt, .flush_timeout = 60s, .sink = sink});
    options.schedtrace = 1ms;
    Runtime runtime(options);
    CHECK(&runtime.log() == options.log.get());
    runtime.block_on(log_in_task, std::string("from a task"));
    CHECK(eventually([&] { return traced.load(); }));
  }
  // Lines of the scheduler may come between any two others.
  CHECK(text.find("level=warning msg=\"from a task\" worker=true\n") != std::string::npos);
  CHECK(text.find("\nas it is\n") != std::string::npos);
  CHECK(text.find("level=info msg=\"SCHED ") != std::string::npos);
}

TEST_SUITE_END();
}  // namespace volt
