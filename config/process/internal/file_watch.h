// FileWatch: whether files have changed: written, replaced, or led to by a link that was.
//
// What is watched (inotify(7)) are their folders, so that a file may be renamed into place, and a folder of links be
// swapped, as certbot and Kubernetes do.
//
// Threads: one. Errors: none; a folder that cannot be watched is not, and SIGHUP does as well.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <string>
#include <vector>

#include "config/process/internal/descriptor.h"

namespace volt::config {

class FileWatch {
 public:
  explicit FileWatch(std::vector<std::string> files);

  // Readable when there may be a change; -1: there is nothing to watch.
  [[nodiscard]] int fd() const noexcept { return inotify_.get(); }
  // Since it was last asked.
  [[nodiscard]] bool changed();

 private:
  // Another file, or another content.
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
  Descriptor inotify_;
};

}  // namespace volt::config
