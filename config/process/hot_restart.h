// SPDX-License-Identifier: MIT

// Hot restart: one process replaces another on the same sockets. The old process starts the program again and passes
// its sockets (runtime/inherited.h), a pipe (VOLT_READY_FD), a sealed file of secrets (VOLT_HANDOFF_FD) and the files
// of the app's state (VOLT_STATE_FD is the first, VOLT_STATE_NAMES are their names, separated by colons). The
// replacement process writes one byte to the pipe when it listens. If it closes the pipe without a byte, it has failed,
// and the old process continues to serve.
//
// Threads: one at a time.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/process/internal/handoff.h"
#include "config/process/sockets.h"
#include "runtime/file_descriptor.h"
#include "runtime/result.h"

namespace volt::config {

// A file with state that is handed over (http/transport/handed_over_state.h).
struct StateFile {
  std::string name;
  FileDescriptor file;
};

// The process that started this process as its replacement, if there is one.
class ReplacedProcess {
 public:
  // Reads the environment variables of the handover, and removes them from the environment.
  ReplacedProcess();

  [[nodiscard]] bool exists() const noexcept { return static_cast<bool>(pipe_); }
  // Returns the secrets that the replaced process handed over. A second call returns none.
  [[nodiscard]] std::vector<HandoffSecret> take_handoff_secrets();
  // Returns the file of the state called `name`; no descriptor if there is none. A second call returns none.
  [[nodiscard]] FileDescriptor take_state(std::string_view name);
  // Notifies the replaced process that this process listens, so that the replaced process drains.
  void release() noexcept;

 private:
  FileDescriptor pipe_;
  FileDescriptor handoff_;
  std::vector<StateFile> states_;
};

// Returns the path of the running program for a replacement process. `argv` is that of main(). The path is absolute, so
// that neither PATH nor the working directory decides which program is started; symbolic links are kept, so that a link
// to another version takes effect. Must be called before the working directory changes.
[[nodiscard]] std::string program_path(const char* const* argv);

// The state of the app that is passed to a replacement process.
struct State {
  std::string name;
  int fd;
};

// The process that was started to replace this process.
class ReplacementProcess {
 public:
  // The arguments of start(). `handoff` may be invalid.
  struct Start {
    std::string program;  // its path
    char* const* argv;
    const std::vector<Sockets::Copy>& sockets;
    FileDescriptor handoff;
    std::vector<State> states;
    sigset_t signal_mask;
  };
  // Errors: those of pipe2(2) and fork(2).
  [[nodiscard]] static Result<ReplacementProcess> start(const Start& how);

  [[nodiscard]] pid_t process() const noexcept { return process_; }
  // Readable when serves() has a result.
  [[nodiscard]] int fd() const noexcept { return pipe_.get(); }
  // Call when fd() is readable. Returns true if the process serves, false if it has failed.
  [[nodiscard]] bool serves() noexcept;
  // Kills the process if it still runs, and waits for its end. Returns a text that says how it ended. Call it if the
  // process has failed or takes too long to start.
  [[nodiscard]] std::string end() noexcept;

 private:
  ReplacementProcess(pid_t process, FileDescriptor pipe) noexcept : process_(process), pipe_(std::move(pipe)) {}

  pid_t process_;
  FileDescriptor pipe_;
  bool ending_ = false;  // true once the process closed its end of the pipe without a byte
};

}  // namespace volt::config
