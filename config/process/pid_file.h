// SPDX-License-Identifier: MIT

// PidFile: the file with the id of the process that serves (process.pid_file). After a hot restart it has the id of the
// replacement process.
//
// The replacement process writes the file before the old process drains, and the old process writes it again if the
// replacement has failed. So a program that removes the file, sends SIGUSR2 and waits until the file is there again
// learns which of the two serves; volt-watch does so.
//
// Threads: one at a time.
#pragma once

#include <string>
#include <utility>

#include "runtime/result.h"

namespace volt::config {

class PidFile {
 public:
  // With an empty path nothing is written.
  explicit PidFile(std::string path) : path_(std::move(path)) {}
  // Removes the file if it has the id of this process.
  ~PidFile();
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

  // Writes the id of this process, and a line feed, into a new file, which replaces the old one: a reader never sees a
  // part of the id. Errors: those of open(2), write(2) and rename(2).
  [[nodiscard]] Result<void> write() const;

 private:
  std::string path_;
};

}  // namespace volt::config
