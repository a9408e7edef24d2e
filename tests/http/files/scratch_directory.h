// SPDX-License-Identifier: MIT

// A temporary directory for a test, removed by the destructor.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace volt::http::files {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "volt-files-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(std::string_view name = {}) const { return name.empty() ? path_.string() : (path_ / name).string(); }
  void folder(std::string_view name) const { std::filesystem::create_directories(path_ / name); }
  void file(std::string_view name, std::string_view content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  void link(std::string_view name, const std::string& target) const {
    std::filesystem::create_symlink(target, path_ / name);
  }
  void fifo(std::string_view name) const { REQUIRE(::mkfifo(path(name).c_str(), 0600) == 0); }
  void modified(std::string_view name, timespec time) const {
    const timespec times[2] = {time, time};
    REQUIRE(::utimensat(AT_FDCWD, path(name).c_str(), times, 0) == 0);
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(int fd) {
  std::string content(4096, '\0');
  const ssize_t count = ::pread(fd, content.data(), content.size(), 0);
  REQUIRE(count >= 0);
  content.resize(static_cast<std::size_t>(count));
  return content;
}

}  // namespace volt::http::files
