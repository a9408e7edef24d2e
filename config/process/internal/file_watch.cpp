// SPDX-License-Identifier: MIT

#include "config/process/internal/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <utility>

namespace volt::config {

FileWatch::FileWatch(std::vector<std::string> files) : files_(std::move(files)) {
  if (files_.empty()) return;
  inotify_ = FileDescriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  std::set<std::string> folders;
  for (const std::string& file : files_) {
    const std::string folder = std::filesystem::path(file).parent_path().string();
    folders.insert(folder.empty() ? "." : folder);
    versions_.push_back(version_of(file));
  }
  for (const std::string& folder : folders) {
    ::inotify_add_watch(inotify_.get(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR);
  }
}

bool FileWatch::changed() {
  if (inotify_.get() < 0) return false;
  alignas(inotify_event) char events[4096];
  bool any = false;
  while (::read(inotify_.get(), events, sizeof events) > 0) any = true;
  if (!any) return false;
  bool changed = false;
  for (std::size_t i = 0; i != files_.size(); ++i) {
    const Version now = version_of(files_[i]);
    changed = changed || now != versions_[i];
    versions_[i] = now;
  }
  return changed;
}

// Returns the current version of a file; a default one if the file does not exist.
FileWatch::Version FileWatch::version_of(const std::string& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim};
}

bool FileWatch::Version::operator==(const Version& other) const noexcept {
  return device == other.device && inode == other.inode && size == other.size &&
         modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec;
}

}  // namespace volt::config
