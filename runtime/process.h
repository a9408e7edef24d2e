// Command and Process: another program, run beside this one.
//
//   auto starting = Command("sort").arg("-n").input(Stdio::stream).output(Stdio::stream).start();
//   Result<Process> sort = co_await std::move(starting);
//   co_await sort->input().write_all(lines);     sort->input().shutdown_write();
//   co_await sort->output().read(buffer);
//   const Result<ExitStatus> status = co_await sort->wait();
//
// The program begins with no signal blocked or ignored, and with no descriptor of ours but its three. Its streams are
// unix sockets, which programs cannot open again by name (/dev/stdout); in return they are what every other stream is.
//
// Threads: belongs to one task at a time; one may read while another writes and a third waits.
// Lifetime: a Process that goes before its program has ended kills it (SIGKILL), and no zombie stays. Does not outlive
// its Runtime. Cancellation: wait() ends, and the program goes on until the Process goes.
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

// What a program has in the place of a terminal.
enum class Stdio : std::uint8_t {
  inherit,  // what we have
  none,     // /dev/null
  stream,   // the other end of one of the Process's
};

struct ExitStatus {
  int code = 0;    // what it returned; if a signal ended it, 0
  int signal = 0;  // that ended it; 0: none did
  [[nodiscard]] bool ok() const noexcept { return code == 0 && signal == 0; }
};

class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  [[nodiscard]] pid_t id() const noexcept { return id_; }
  // Where Stdio::stream was asked for. Valid as long as the process is not moved.
  [[nodiscard]] UnixStream& input() noexcept { return *streams_[0]; }   // what it reads
  [[nodiscard]] UnixStream& output() noexcept { return *streams_[1]; }  // what it writes
  [[nodiscard]] UnixStream& errors() noexcept { return *streams_[2]; }

  // Until it has ended. Again: the same at once. Errors: as of waitid(2).
  [[nodiscard]] Task<Result<ExitStatus>> wait();
  // Does nothing to one that has ended. Errors: as of pidfd_send_signal(2).
  [[nodiscard]] Result<void> send_signal(int number) noexcept;

 private:
  friend class Command;
  using Streams = std::optional<UnixStream>[3];
  Process(pid_t id, int pidfd);
  void end() noexcept;

  pid_t id_;
  net::SocketOwner pidfd_;  // null: moved away, or ended and waited for
  std::optional<ExitStatus> status_;
  Streams streams_;
};

class Command {
 public:
  // Looked for in PATH, unless there is a slash in it.
  explicit Command(std::string program) { arguments_.push_back(std::move(program)); }

  Command& arg(std::string argument) &;
  Command& directory(std::string path) &;                           // where it begins
  Command& environment(std::vector<std::string> variables) &;       // "NAME=value" each, instead of ours
  Command& input(Stdio kind) & { return stdio_[0] = kind, *this; }  // inherit, if nothing is said
  Command& output(Stdio kind) & { return stdio_[1] = kind, *this; }
  Command& errors(Stdio kind) & { return stdio_[2] = kind, *this; }
  Command&& arg(std::string argument) && { return std::move(arg(std::move(argument))); }
  Command&& directory(std::string path) && { return std::move(directory(std::move(path))); }
  Command&& environment(std::vector<std::string> all) && { return std::move(environment(std::move(all))); }
  Command&& input(Stdio kind) && { return std::move(input(kind)); }
  Command&& output(Stdio kind) && { return std::move(output(kind)); }
  Command&& errors(Stdio kind) && { return std::move(errors(kind)); }

  // Errors: as of posix_spawn(3), socketpair(2) and pidfd_open(2); resource_unavailable_try_again also if the blocking
  // pool is full. The command is copied, and may be started again.
  [[nodiscard]] Task<Result<Process>> start() const;

 private:
  [[nodiscard]] Result<Process> start_now() const;

  std::vector<std::string> arguments_;  // the program first
  std::optional<std::vector<std::string>> environment_;
  std::string directory_;  // empty: ours
  Stdio stdio_[3] = {Stdio::inherit, Stdio::inherit, Stdio::inherit};
};

}  // namespace volt
