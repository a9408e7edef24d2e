// SPDX-License-Identifier: MIT

// Command and Process: start another program and communicate with it.
//
//   Result<Process> sort = co_await Command("sort").arg("-n").input(Stdio::stream).output(Stdio::stream).start();
//   co_await sort->input().write_all(lines);     sort->input().shutdown_write();
//   co_await sort->output().read(buffer);
//   const Result<ExitStatus> status = co_await sort->wait();
//
// The program starts with no signal blocked or ignored, and inherits no descriptors except its standard input, output
// and error. Its streams are unix sockets: the program cannot reopen them by name (/dev/stdout), but here they work
// like any other stream.
//
// Threads: a Process belongs to one task at a time; one task may read while another writes and a third waits.
// Lifetime: destroying a Process before its program has ended kills the program (SIGKILL) and leaves no zombie.
// Cancellation: wait() ends, and the program runs on until the Process is destroyed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/task.h"
#include "runtime/unix.h"

namespace volt {

// The other end of a standard stream of a program.
enum class Stdio : std::uint8_t {
  inherit,  // the stream of this process
  none,     // /dev/null
  stream,   // the other end of a stream of the Process
};

struct ExitStatus {
  int code = 0;    // exit code; 0 if a signal ended the program
  int signal = 0;  // signal that ended the program; 0 if it exited
  [[nodiscard]] bool ok() const noexcept { return code == 0 && signal == 0; }
};

class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  [[nodiscard]] pid_t id() const noexcept { return id_; }
  // The program's streams. Only streams that were configured as Stdio::stream may be requested. A reference is valid
  // until the Process is moved.
  [[nodiscard]] UnixStream& input() noexcept { return *streams_[0]; }   // the program's standard input
  [[nodiscard]] UnixStream& output() noexcept { return *streams_[1]; }  // the program's standard output
  [[nodiscard]] UnixStream& errors() noexcept { return *streams_[2]; }  // the program's standard error

  // Waits until the program has ended and returns its status. Further calls return the status at once. Errors: those of
  // waitid(2), and no_buffer_space if the reactor cannot watch the program, for want of memory.
  [[nodiscard]] Task<Result<ExitStatus>> wait();
  // Sends a signal to the program; has no effect on a program that has ended. Errors: those of
  // pidfd_send_signal(2).
  [[nodiscard]] Result<void> send_signal(int number) noexcept;

 private:
  friend class Command;
  using Streams = std::optional<UnixStream>[3];
  Process(pid_t id, int pidfd);
  void end() noexcept;

  pid_t id_;
  net::SocketOwner pidfd_;  // null if the Process was moved from, or a task took over its reaping
  std::optional<ExitStatus> status_;
  Streams streams_;
};

class Command {
 public:
  // `program` is searched in PATH, unless it contains a slash.
  explicit Command(std::string program) { arguments_.push_back(std::move(program)); }

  Command& arg(std::string argument) &;
  Command& directory(std::string path) &;                           // working directory; default: that of this process
  Command& environment(std::vector<std::string> variables) &;       // entries "NAME=value"; default: inherited
  Command& input(Stdio kind) & { return stdio_[0] = kind, *this; }  // default for each stream: Stdio::inherit
  Command& output(Stdio kind) & { return stdio_[1] = kind, *this; }
  Command& errors(Stdio kind) & { return stdio_[2] = kind, *this; }
  Command&& arg(std::string argument) && { return std::move(arg(std::move(argument))); }
  Command&& directory(std::string path) && { return std::move(directory(std::move(path))); }
  Command&& environment(std::vector<std::string> all) && { return std::move(environment(std::move(all))); }
  Command&& input(Stdio kind) && { return std::move(input(kind)); }
  Command&& output(Stdio kind) && { return std::move(output(kind)); }
  Command&& errors(Stdio kind) && { return std::move(errors(kind)); }

  // Starts the program. Errors: those of posix_spawn(3), socketpair(2) and pidfd_open(2); also
  // resource_unavailable_try_again if the blocking pool is full. The Command is copied and may be started again.
  [[nodiscard]] Task<Result<Process>> start() const;

 private:
  [[nodiscard]] Result<Process> start_now() const;

  std::vector<std::string> arguments_;  // the program is the first entry
  std::optional<std::vector<std::string>> environment_;
  std::string directory_;  // empty: the directory of this process
  Stdio stdio_[3] = {Stdio::inherit, Stdio::inherit, Stdio::inherit};
};

}  // namespace volt
