// SPDX-License-Identifier: MIT

// FileWatch: detects that files were written or replaced, or that a symbolic link in their folders was replaced.
//
// It watches the folders of the files (inotify(7)), not the files. So it also detects a file that is renamed into
// place, and a link that is replaced, as certbot and Kubernetes do.
//
// Threads: one at a time. Errors: none. A folder that cannot be watched is ignored; SIGHUP reloads its files.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <string>
#include <vector>

#include "runtime/file_descriptor.h"

namespace volt::config {

class FileWatch {
 public:
  explicit FileWatch(std::vector<std::string> files);

  // Readable when there may be a change. -1 if there are no files.
  [[nodiscard]] int fd() const noexcept { return inotify_.get(); }
  // Returns whether a file has changed since the last call.
  [[nodiscard]] bool changed();

 private:
  // Identifies the content of a file: it differs after the file was written or replaced.
  struct Version {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec modified{};

    bool operator==(const Version& other) const noexcept;
  };

  [[nodiscard]] static Version version_of(const std::string& file);

  std::vector<std::string> files_;
  std::vector<Version> versions_;
  FileDescriptor inotify_;
};

}  // namespace volt::config
