// SPDX-License-Identifier: MIT

#include "config/process/internal/file_watch.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/directory.h"

namespace volt::config {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

TEST_SUITE_BEGIN("config/process/internal/file_watch");

TEST_CASE("without files there is nothing to watch") {
  FileWatch watch({});
  CHECK(watch.fd() < 0);
  CHECK_FALSE(watch.changed());
}

TEST_CASE("a file changes only when it is written, replaced, created or removed") {
  const test::Directory directory;
  const fs::path file = directory.path() / "a.pem";
  const fs::path other = directory.path() / "b.pem";
  write(file, "one");
  FileWatch watch({file.string()});
  REQUIRE(watch.fd() >= 0);
  CHECK_FALSE(watch.changed());

  write(file, "longer than one");
  CHECK(watch.changed());
  CHECK_FALSE(watch.changed());

  write(other, "another");
  CHECK_FALSE(watch.changed());
  fs::rename(other, file);
  CHECK(watch.changed());

  fs::remove(file);
  write(other, "a removal alone is not an event, but the next write is");
  CHECK(watch.changed());
  write(file, "again");
  CHECK(watch.changed());
}

TEST_CASE("a replaced symbolic link on the path of a file is a change") {
  const test::Directory directory;
  const fs::path root = directory.path();
  fs::create_directory(root / "v1");
  fs::create_directory(root / "v2");
  write(root / "v1" / "a.pem", "one");
  write(root / "v2" / "a.pem", "two");
  fs::create_directory_symlink("v1", root / "current");
  fs::create_symlink("current/a.pem", root / "a.pem");
  FileWatch watch({(root / "a.pem").string()});
  CHECK_FALSE(watch.changed());
  fs::create_directory_symlink("v2", root / "next");
  CHECK_FALSE(watch.changed());
  fs::rename(root / "next", root / "current");
  CHECK(watch.changed());
}

TEST_CASE("a missing folder is not an error") {
  FileWatch watch({"/nonexistent/folder/a.pem"});
  CHECK_FALSE(watch.changed());
}

TEST_SUITE_END();
}  // namespace volt::config
