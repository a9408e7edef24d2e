// SPDX-License-Identifier: MIT

#include "runtime/file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <latch>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

template <class T>
std::errc code_of(const Result<T>& result) {
  return result ? std::errc{} : static_cast<std::errc>(result.error().default_error_condition().value());
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i != bytes; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 4093) % 26);
  return text;
}

// Drops the file's pages from the page cache, so that the next read goes to the disk (if the disk has no cache of its
// own).
void forget(const File& file) {
  ::fsync(file.fd());
  ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED);
}

Task<File> open_new(std::string path, OpenOptions options = {.write = true, .create = true, .exclusive = true}) {
  Result<File> file = co_await File::open(std::move(path), options);
  REQUIRE(file);
  co_return std::move(*file);
}

// Returns the content of a file from `offset` on, at most `bytes_max` bytes.
Task<std::string> read_text(const File& file, std::uint64_t offset = 0, std::size_t bytes_max = 1 << 20) {
  std::vector<std::byte> buffer(bytes_max);
  const Result<std::size_t> count = co_await file.read_all_at(offset, buffer);
  REQUIRE(count);
  co_return std::string(reinterpret_cast<const char*>(buffer.data()), *count);
}

template <class T>
Task<std::errc> failure_of(Task<Result<T>> task) {
  const Result<T> result = co_await std::move(task);
  co_return code_of(result);
}

}  // namespace

TEST_SUITE_BEGIN("runtime/file");

TEST_CASE("written data is read back, from the cache and from the disk") {
  Runtime runtime(test_options());
  const test::Directory directory;
  runtime.block_on([&]() -> Task<> {
    File file = co_await open_new(directory.path() / "data");
    const std::string text = pattern(300'001);
    const Result<void> written = co_await file.write_at(0, bytes_of(text));
    CHECK(written);
    for (const bool cached : {true, false}) {
      if (!cached) forget(file);
      const std::string all = co_await read_text(file);
      CHECK(all == text);
      if (!cached) forget(file);
      const std::string tail = co_await read_text(file, 299'990, 100);
      CHECK(tail == text.substr(299'990));
      const std::string nothing = co_await read_text(file, 400'000);
      CHECK(nothing.empty());
    }
    const Result<void> synced = co_await file.sync();
    CHECK(synced);
    const Result<void> synced_data = co_await file.sync_data();
    CHECK(synced_data);
  });
}

TEST_CASE("concurrent appends do not overwrite each other") {
  Runtime runtime(test_options());
  const test::Directory directory;
  constexpr int kTasks = 8;
  constexpr int kLines = 50;
  runtime.block_on([&]() -> Task<> {
    File file = co_await open_new(directory.path() / "log");
    const auto append_lines = [](Borrowed<File> log, char letter) -> Task<> {
      const std::string line = std::string(99, letter) + "\n";
      for (int i = 0; i != kLines; ++i) {
        const Result<void> appended = co_await log.get().append(bytes_of(line));
        CHECK(appended);
      }
    };
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int i = 0; i != kTasks; ++i) scope.spawn(append_lines, borrow(file), static_cast<char>('a' + i));
      co_return;
    });
    const std::string text = co_await read_text(file);
    REQUIRE(text.size() == 100U * kTasks * kLines);
    for (std::size_t line = 0; line != text.size(); line += 100) {
      CHECK(text.substr(line, 99) == std::string(99, text[line]));
      CHECK(text[line + 99] == '\n');
    }
  });
}

TEST_CASE("status() describes a file, and resize() makes it shorter and longer") {
  Runtime runtime(test_options());
  const test::Directory directory;
  runtime.block_on([&]() -> Task<> {
    const std::string path = directory.path() / "data";
    File file = co_await open_new(path, {.write = true, .create = true, .permissions = 0600});
    for (const std::uint64_t size : {5'000, 10, 0, 70'000}) {
      const Result<void> resized = co_await file.resize(size);
      CHECK(resized);
      const Result<FileStatus> status = co_await file.status();
      REQUIRE(status);
      CHECK(status->size_bytes == size);
      CHECK(status->kind == FileKind::regular);
      CHECK(status->permissions == 0600);
      CHECK(std::chrono::abs(std::chrono::system_clock::now() - status->modified) < 1h);
      const Result<FileStatus> by_path = co_await file_status(path);
      REQUIRE(by_path);
      CHECK(by_path->inode == status->inode);
    }
  });
}

TEST_CASE("errors of open, read and write name their cause") {
  Runtime runtime(test_options());
  const test::Directory directory;
  const std::string path = directory.path() / "there";
  runtime.block_on([&]() -> Task<> {
    File file = co_await open_new(path);
    Result<File> read_only = co_await File::open(path);
    REQUIRE(read_only);
    const std::string text = "x";
    const std::errc refused = co_await failure_of(read_only->write_at(0, bytes_of(text)));
    CHECK(refused == std::errc::bad_file_descriptor);
    const Result<File> folder = co_await File::open(directory.path());
    REQUIRE(folder);
    std::vector<std::byte> buffer(16);
    const Result<std::size_t> read = co_await folder->read_at(0, buffer);
    CHECK(code_of(read) == std::errc::is_a_directory);
  });
  struct Case {
    std::string why;
    std::string path;
    OpenOptions options;
    std::errc want;
  };
  const Case cases[] = {
      {"the file does not exist", directory.path() / "gone", {}, std::errc::no_such_file_or_directory},
      {"exclusive, but the file exists",
       path,
       {.write = true, .create = true, .exclusive = true},
       std::errc::file_exists},
      {"a directory opened for writing", directory.path(), {.write = true}, std::errc::is_a_directory},
      {"a path through a regular file", path + "/more", {}, std::errc::not_a_directory},
      {"a path with a NUL", path + std::string("\0x", 2), {}, std::errc::invalid_argument},
  };
  for (const auto& [why, name, options, want] : cases) {
    CAPTURE(why);
    CHECK(runtime.block_on([&] { return failure_of(File::open(name, options)); }) == want);
  }
}

TEST_CASE("opening a FIFO without a writer does not wait") {
  Runtime runtime(test_options());
  const test::Directory directory;
  const std::string path = directory.path() / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  runtime.block_on([&]() -> Task<> {
    const Result<File> fifo = co_await File::open(path);
    CHECK(fifo);
  });
}

TEST_CASE("directories are created, listed, renamed and removed") {
  Runtime runtime(test_options());
  const test::Directory directory;
  runtime.block_on([&]() -> Task<> {
    const std::string root = directory.path();
    const Result<void> made = co_await make_directory(root + "/b");
    CHECK(made);
    const File file = co_await open_new(root + "/c");
    REQUIRE(::symlink("nowhere", (root + "/d").c_str()) == 0);
    const Result<void> renamed = co_await rename_file(root + "/c", root + "/a");
    CHECK(renamed);

    const Result<std::vector<DirectoryEntry>> entries = co_await list_directory(root);
    REQUIRE(entries);
    REQUIRE(entries->size() == 3);
    CHECK((*entries)[0].name == "a");
    CHECK((*entries)[0].kind == FileKind::regular);
    CHECK((*entries)[1].kind == FileKind::directory);
    CHECK((*entries)[2].kind == FileKind::link);
    const std::errc refused = co_await failure_of(list_directory(root, 2));
    CHECK(refused == std::errc::value_too_large);

    const Result<void> removed = co_await remove_file(root + "/a");
    CHECK(removed);
    const Result<void> removed_directory = co_await remove_directory(root + "/b");
    CHECK(removed_directory);
    const std::errc gone = co_await failure_of(remove_file(root + "/a"));
    CHECK(gone == std::errc::no_such_file_or_directory);
    const std::errc refused_path = co_await failure_of(remove_file(root + std::string("/b\0", 3)));
    CHECK(refused_path == std::errc::invalid_argument);
  });
}

TEST_CASE("a task whose reads are served by the cache lets other tasks run") {
  RuntimeOptions options = test_options(1);
  Runtime runtime(options);
  const test::Directory directory;
  runtime.block_on([&]() -> Task<> {
    File file = co_await open_new(directory.path() / "data");
    const std::string text = pattern(4096);
    const Result<void> written = co_await file.write_at(0, bytes_of(text));
    REQUIRE(written);
    const auto touch = [](Borrowed<bool> ran) -> Task<> {
      ran.get() = true;
      co_return;
    };
    bool ran = false;
    const JoinHandle<void> other = spawn(touch, borrow(ran));
    std::vector<std::byte> buffer(4096);
    for (int i = 0; i != 100'000 && !ran; ++i) {
      const Result<std::size_t> count = co_await file.read_at(0, buffer);
      REQUIRE(count);
    }
    CHECK(ran);
  });
}

TEST_CASE("a full blocking pool is an error, and an operation that waits for a thread can be cancelled") {
  const test::Directory directory;
  RuntimeOptions options = test_options();
  options.blocking_threads_max = 1;
  options.blocking_queue_max = 1;
  std::latch open(1);  // destroyed after the runtime, which waits for the callables that wait here
  std::latch begun(1);
  Runtime runtime(options);
  const JoinHandle<void> holding = runtime.spawn(
      [](Borrowed<std::latch> begin, Borrowed<std::latch> end) -> Task<> {
        co_await blocking([&] {
          begin.get().count_down();
          end.get().wait();
        });
      },
      borrow(begun), borrow(open));
  begun.wait();
  const auto stat = [](std::string path) -> Task<> {
    [[maybe_unused]] const Result<FileStatus> status = co_await file_status(std::move(path));
  };
  JoinHandle<void> queued = runtime.spawn(stat, std::string(directory.path()));
  CHECK(test::eventually([&] { return runtime.metrics().blocking_queue_length == 1; }));
  CHECK(runtime.block_on([&] { return failure_of(file_status(directory.path())); }) ==
        std::errc::resource_unavailable_try_again);
  queued.cancel();
  CHECK(runtime.block_on(test::outcome_of<void>, std::move(queued)) == test::Outcome::cancelled);
  open.count_down();
}

TEST_CASE("a read in progress ends before its cancelled task unwinds, and no descriptor is leaked") {
  RuntimeOptions options = test_options();
  options.enable_rescue = false;  // it may open descriptors of its own
  Runtime runtime(options);
  const test::Directory directory;
  const std::string path = directory.path() / "data";
  runtime.block_on([&]() -> Task<> {
    File file = co_await open_new(path);
    const std::string text = pattern(1 << 20);
    const Result<void> written = co_await file.write_at(0, bytes_of(text));
    REQUIRE(written);
  });
  const auto read_for_ever = [](std::string name) -> Task<> {
    const Result<File> file = co_await File::open(std::move(name));
    std::vector<std::byte> buffer(1 << 20);
    for (;;) {
      forget(*file);
      const Result<std::size_t> count = co_await file->read_all_at(0, buffer);
      CHECK(count.value_or(0) == buffer.size());
    }
  };
  const std::size_t before = test::open_descriptors();
  for (int round = 0; round != 20; ++round) {
    JoinHandle<void> reading = runtime.spawn(read_for_ever, path);
    std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
    reading.cancel();
    CHECK(runtime.block_on(test::outcome_of<void>, std::move(reading)) == test::Outcome::cancelled);
  }
  CHECK(test::open_descriptors() == before);
}

}  // namespace volt
