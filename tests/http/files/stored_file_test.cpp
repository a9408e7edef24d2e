// SPDX-License-Identifier: MIT

#include "http/files/stored_file.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/http/files/scratch_directory.h"

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/stored_file");
namespace {

const FilePolicy kPolicy = make_policy({});

std::expected<SharedFile, FileError> load(const ScratchDirectory& scratch, std::string_view name,
                                          Waiting waiting = Waiting::allowed) {
  const auto directory = Directory::open(scratch.path());
  REQUIRE(directory.has_value());
  return load_file(*directory, kPolicy, name, {}, std::chrono::sys_seconds(), waiting);
}

}  // namespace

TEST_CASE("a small file is read, a larger one stays open") {
  const ScratchDirectory scratch;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kSmallFileBytesMax, kSmallFileBytesMax + 1}) {
    CAPTURE(bytes);
    scratch.file("a", std::string(bytes, 'x'));
    const auto file = load(scratch, "a");
    REQUIRE(file.has_value());
    CHECK((*file)->in_memory() == (bytes <= kSmallFileBytesMax));
    if ((*file)->in_memory()) CHECK((*file)->content == std::string(bytes, 'x'));
    CHECK((*file)->whole.content_bytes == bytes);
  }
}

TEST_CASE("cached data is read without waiting, and is never another file's") {
  const ScratchDirectory scratch;
  scratch.file("a", "content");
  REQUIRE(load(scratch, "a").has_value());
  const auto file = load(scratch, "a", Waiting::refused);
  if (file) {
    CHECK((*file)->content == "content");
  } else {
    CHECK(file.error() == FileError::would_block);  // a file system or kernel that does not support RWF_NOWAIT
  }
  const auto missing = load(scratch, "b", Waiting::refused);
  REQUIRE(!missing);
  CHECK((missing.error() == FileError::would_block || missing.error() == FileError::not_found));
}

TEST_CASE("a file that ends too early is reported and not padded") {
  const ScratchDirectory scratch;
  scratch.file("a", "0123456789");
  auto open = open_path(scratch.path("a"));
  REQUIRE(open.has_value());
  REQUIRE(::truncate(scratch.path("a").c_str(), 9) == 0);
  std::string room(10, '\0');
  const auto read = read_exactly(open->descriptor.get(), 0, room, Waiting::allowed);
  REQUIRE(!read);
  CHECK(read.error() == FileError::overloaded);
  CHECK(!store_file(std::move(*open), kPolicy, {}, Waiting::allowed));
}

TEST_CASE("open_path() opens only regular files") {
  const ScratchDirectory scratch;
  scratch.file("a.txt", "a");
  scratch.folder("folder");
  scratch.fifo("fifo");
  scratch.link("link", scratch.path("a.txt"));
  CHECK(open_path(scratch.path("a.txt"))->metadata.media_type == "text/plain; charset=utf-8");
  CHECK(open_path(scratch.path("link")).has_value());
  for (const std::string name : {"folder", "fifo", "none"}) {
    CAPTURE(name);
    const auto file = open_path(scratch.path(name));
    REQUIRE(!file);
    CHECK(file.error() == FileError::not_found);
  }
  CHECK(!open_path(scratch.path("a.txt") + std::string(1, '\0')));
}

TEST_SUITE_END();
}  // namespace volt::http::files
