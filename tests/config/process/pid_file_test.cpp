// SPDX-License-Identifier: MIT

#include "config/process/pid_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include "tests/support/directory.h"

namespace volt::config {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_SUITE_BEGIN("config/process/pid_file");

TEST_CASE("the file has the id of the process until the process ends") {
  const test::Directory directory;
  const fs::path path = directory.path() / "pid";
  std::ofstream(path) << "1\n";  // of an earlier process
  std::optional<PidFile> file(std::in_place, path.string());
  CHECK(content_of(path) == "1\n");
  REQUIRE(file->write());
  CHECK(content_of(path) == std::to_string(::getpid()) + "\n");
  CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 1);
  file.reset();
  CHECK(!fs::exists(path));
}

TEST_CASE("the file of the process that has replaced this one stays") {
  const test::Directory directory;
  const fs::path path = directory.path() / "pid";
  std::optional<PidFile> file(std::in_place, path.string());
  REQUIRE(file->write());
  std::ofstream(path) << "1\n";
  file.reset();
  CHECK(content_of(path) == "1\n");
}

TEST_CASE("a link in the place of the new file is not followed") {
  const test::Directory directory;
  const fs::path path = directory.path() / "pid";
  const fs::path other = directory.path() / "other";
  std::ofstream(other) << "content";
  fs::create_symlink(other, path.string() + "." + std::to_string(::getpid()));
  const PidFile file(path.string());
  REQUIRE(file.write());
  CHECK(content_of(path) == std::to_string(::getpid()) + "\n");
  CHECK(content_of(other) == "content");
}

TEST_CASE("a file that cannot be written is an error, and without a path there is nothing to write") {
  const test::Directory directory;
  CHECK(PidFile((directory.path() / "none" / "pid").string()).write().error() == std::errc::no_such_file_or_directory);
  const fs::path folder = directory.path() / "folder";
  fs::create_directories(folder / "content");
  CHECK(!PidFile(folder.string()).write());
  CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 1);  // nothing is left beside it
  CHECK(PidFile("").write());
}

TEST_SUITE_END();

}  // namespace volt::config
