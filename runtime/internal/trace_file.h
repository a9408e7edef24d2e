// SPDX-License-Identifier: MIT

// TraceFile: the timeline of a runtime from its start to its end, in the file that the environment variable VOLT_TRACE
// names. `%p` in the name stands for the id of the process. If a process has several runtimes, the files of the second
// and later ones end with ".2", ".3" and so on.
//
// Threads: the thread that creates and destroys the runtime. Errors: a file that cannot be written is logged.
#pragma once

#include <memory>
#include <string>

#include "runtime/timeline.h"

namespace volt {

class TraceFile {
 public:
  // Starts to record. Returns null if the variable is not set.
  [[nodiscard]] static std::unique_ptr<TraceFile> start(Runtime& runtime);
  // Writes the file.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

 private:
  TraceFile(Runtime& runtime, std::string path);
  void write();

  Runtime& runtime_;
  const std::string path_;
  std::unique_ptr<TimelineRecording> recording_;
};

}  // namespace volt
