// SPDX-License-Identifier: MIT

// Directory: an empty one for a test's files, gone with what is in it when the test ends.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "runtime/base/check.h"

namespace volt::test {

class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "volt_XXXXXX").string();
    VOLT_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::string unix_address(const std::string& file) const { return "unix:" + (path_ / file).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace volt::test
