// How one process follows another on the same sockets. The old one starts the program anew, with its sockets
// (runtime/inherited.h), a pipe, VOLT_READY_FD, and what it bequeaths, VOLT_HANDOFF_FD. The new one writes a byte when it
// listens; one that ends without has failed, and the old one goes on.
//
// Threads: one.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "config/process/internal/descriptor.h"
#include "config/process/internal/handoff.h"
#include "config/process/sockets.h"
#include "runtime/result.h"

namespace volt::config {

// Whoever started us as its replacement.
class ReplacedProcess {
 public:
  // As the environment says, which then says it no more.
  ReplacedProcess();

  [[nodiscard]] bool exists() const noexcept { return static_cast<bool>(pipe_); }
  // What it left us, once: nothing the second time.
  [[nodiscard]] std::vector<HandoffSecret> take_handoff_secrets();
  // It may go.
  void release() noexcept;

 private:
  Descriptor pipe_;
  Descriptor handoff_;
};

class ReplacementProcess {
 public:
  // Runs `argv` with these sockets, and with that file if there is one. Errors: as of pipe2(2) and fork(2).
  [[nodiscard]] static Result<ReplacementProcess> start(char* const* argv, const std::vector<Sockets::Copy>& sockets,
                                                        const Descriptor& handoff, const sigset_t& signal_mask);

  [[nodiscard]] pid_t process() const noexcept { return process_; }
  // Readable when there is news.
  [[nodiscard]] int fd() const noexcept { return pipe_.get(); }
  // Then: true if it serves; false if it has failed.
  [[nodiscard]] bool serves() noexcept;
  // Of one that has failed, or takes too long: ends it, if need be. How it ended, in words.
  [[nodiscard]] std::string end() noexcept;

 private:
  ReplacementProcess(pid_t process, Descriptor pipe) noexcept : process_(process), pipe_(std::move(pipe)) {}

  pid_t process_;
  Descriptor pipe_;
  bool ending_ = false;  // it has let go of its end of the pipe
};

}  // namespace volt::config
