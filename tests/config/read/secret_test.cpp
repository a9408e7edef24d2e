// SPDX-License-Identifier: MIT

#include "config/read/secret.h"

#include <doctest/doctest.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support/directory.h"

namespace volt::config {

TEST_SUITE_BEGIN("config/read/secret");

TEST_CASE("a secret is the content of a file without one trailing newline") {
  const test::Directory folder;
  const std::string path = folder.path().string() + "/secret";
  const auto holds = [&](const std::string& content) { std::ofstream(path) << content; };
  holds("hunter2\n");
  CHECK(secret_from_file(path) == "hunter2");
  holds("two\nlines\n\n");
  CHECK(secret_from_file(path) == "two\nlines\n");
  holds(std::string(64 * 1024, 'a'));
  CHECK(secret_from_file(path).size() == 64 * 1024);
}

TEST_CASE("a file without a secret is an error that names the file and the cause") {
  const test::Directory folder;
  const std::string path = folder.path().string() + "/secret";
  const auto error_of = [](const std::string& file) -> std::string {
    try {
      return "none: " + secret_from_file(file);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  CHECK(error_of(path) == "secret " + path + ": No such file or directory");
  CHECK(error_of(folder.path().string()) == "secret " + folder.path().string() + ": Is a directory");
  std::ofstream(path) << "\n";
  CHECK(error_of(path) == "secret " + path + ": the file is empty");
  std::ofstream(path) << std::string(64 * 1024 + 1, 'a');
  CHECK(error_of(path) == "secret " + path + ": File too large");
}

TEST_SUITE_END();
}  // namespace volt::config
