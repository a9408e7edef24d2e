// SPDX-License-Identifier: MIT

#include "config/process/hot_restart.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace volt::config {
namespace {

constexpr const char* kReadyVariable = "VOLT_READY_FD";
constexpr const char* kHandoffVariable = "VOLT_HANDOFF_FD";
constexpr const char* kStateVariable = "VOLT_STATE_FD";
constexpr const char* kStateNamesVariable = "VOLT_STATE_NAMES";
constexpr int kFirstSocket = 3;  // SD_LISTEN_FDS_START
constexpr int kExitNotStarted = 127;
constexpr std::string_view kProcess = "LISTEN_PID=";
constexpr std::size_t kDigits = 10;

// The environment of a replacement process. Its process id is missing until complete(), because only the replacement
// process knows it.
class Environment {
 public:
  explicit Environment(const ReplacementProcess::Start& how) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (!is_replaced(*entry)) entries_.emplace_back(*entry);
    }
    std::string names;
    for (const Sockets::Copy& socket : how.sockets) names.append(names.empty() ? "" : ":").append(socket.name);
    const int count = static_cast<int>(how.sockets.size());
    entries_.push_back("LISTEN_FDS=" + std::to_string(count));
    entries_.push_back("LISTEN_FDNAMES=" + names);
    int next = kFirstSocket + count;
    entries_.push_back(std::string(kReadyVariable) + "=" + std::to_string(next++));
    if (how.handoff) entries_.push_back(std::string(kHandoffVariable) + "=" + std::to_string(next++));
    if (!how.states.empty()) {
      entries_.push_back(std::string(kStateVariable) + "=" + std::to_string(next));
      std::string states;
      for (const State& state : how.states) states.append(states.empty() ? "" : ":").append(state.name);
      entries_.push_back(std::string(kStateNamesVariable) + "=" + states);
    }
    entries_.push_back(std::string(kProcess) + std::string(kDigits, '0'));
    for (std::string& entry : entries_) pointers_.push_back(entry.data());
    pointers_.push_back(nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Called in the new process between fork(2) and exec(2), so it must not take locks.
  char* const* complete(pid_t process) noexcept {
    char* digit = entries_.back().data() + kProcess.size() + kDigits;
    for (; process != 0; process /= 10) *--digit = static_cast<char>('0' + process % 10);
    return pointers_.data();
  }

 private:
  // Returns true for variables that the replacement process must not inherit. One of them is WATCHDOG_PID, which names
  // this process: if it is unset, WATCHDOG_USEC applies to the replacement process.
  static bool is_replaced(std::string_view entry) noexcept {
    for (const std::string_view name :
         {std::string_view("LISTEN_FDS="), std::string_view("LISTEN_FDNAMES="), kProcess,
          std::string_view("WATCHDOG_PID="), std::string_view("VOLT_READY_FD="), std::string_view("VOLT_HANDOFF_FD="),
          std::string_view("VOLT_STATE_FD="), std::string_view("VOLT_STATE_NAMES=")}) {
      if (entry.starts_with(name)) return true;
    }
    return false;
  }

  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

// Called in the new process between fork(2) and exec(2), so it must not take locks: duplicates `fds` to the descriptors
// 3, 4 and so on. Returns false if one cannot be duplicated.
bool place_descriptors(std::vector<int>& fds) noexcept {
  const int first_free = kFirstSocket + static_cast<int>(fds.size());
  for (int& fd : fds) {
    fd = ::fcntl(fd, F_DUPFD_CLOEXEC, first_free);  // move it above the target range
    if (fd < 0) return false;
  }
  for (std::size_t i = 0; i != fds.size(); ++i) {
    if (::dup2(fds[i], kFirstSocket + static_cast<int>(i)) < 0) return false;
  }
  return true;
}

// Returns the descriptor whose number is in the environment variable `variable`, and unsets the variable. Returns an
// invalid descriptor if there is none.
FileDescriptor take_descriptor(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return {};
  int fd = -1;
  const auto [stop, failure] = std::from_chars(text, text + std::strlen(text), fd);
  ::unsetenv(variable);
  const bool ours = failure == std::errc{} && fd >= kFirstSocket && ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
  return ours ? FileDescriptor(fd) : FileDescriptor();
}

// Returns the files of the state, and unsets their environment variables.
std::vector<StateFile> take_states() {
  std::vector<StateFile> states;
  FileDescriptor file = take_descriptor(kStateVariable);
  const char* const text = std::getenv(kStateNamesVariable);
  std::string_view names = text != nullptr ? text : "";
  while (file && !names.empty()) {
    const std::string_view name = names.substr(0, names.find(':'));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    const int next = file.get() + 1;
    states.push_back({std::string(name), std::move(file)});
    const bool is_open = !names.empty() && ::fcntl(next, F_SETFD, FD_CLOEXEC) == 0;
    file = FileDescriptor(is_open ? next : -1);
  }
  ::unsetenv(kStateNamesVariable);
  return states;
}

}  // namespace

ReplacedProcess::ReplacedProcess()
    : pipe_(take_descriptor(kReadyVariable)), handoff_(take_descriptor(kHandoffVariable)), states_(take_states()) {}

FileDescriptor ReplacedProcess::take_state(std::string_view name) {
  const auto found = std::ranges::find(states_, name, &StateFile::name);
  if (found == states_.end()) return {};
  FileDescriptor file = std::move(found->file);
  states_.erase(found);
  return file;
}

std::string program_path(const char* const* argv) {
  std::string path = argv[0] != nullptr ? argv[0] : "";
  // Without a slash, argv[0] was found by PATH, whose result the kernel knows.
  if (!path.contains('/')) path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
  return failure ? path : absolute.string();
}

std::vector<HandoffSecret> ReplacedProcess::take_handoff_secrets() {
  const FileDescriptor file = std::exchange(handoff_, FileDescriptor());
  return file ? unseal(file) : std::vector<HandoffSecret>();
}

void ReplacedProcess::release() noexcept {
  if (!pipe_) return;
  [[maybe_unused]] const ssize_t written = ::write(pipe_.get(), "1", 1);
  pipe_ = FileDescriptor();
}

Result<ReplacementProcess> ReplacementProcess::start(const Start& how) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error(errno);
  FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  Environment environment(how);
  std::vector<int> fds;
  for (const Sockets::Copy& socket : how.sockets) fds.push_back(socket.fd.get());
  fds.push_back(writing.get());
  if (how.handoff) fds.push_back(how.handoff.get());
  for (const State& state : how.states) fds.push_back(state.fd);
  const pid_t process = ::fork();
  if (process < 0) return system_error(errno);
  if (process != 0) return ReplacementProcess(process, std::move(reading));
  char* const* const variables = environment.complete(::getpid());
  ::pthread_sigmask(SIG_SETMASK, &how.signal_mask, nullptr);
  if (place_descriptors(fds)) ::execve(how.program.c_str(), how.argv, variables);
  ::_exit(kExitNotStarted);
}

bool ReplacementProcess::serves() noexcept {
  char byte = 0;
  const bool ready = ::read(pipe_.get(), &byte, 1) == 1;
  ending_ = !ready;
  return ready;
}

std::string ReplacementProcess::end() noexcept {
  const int attempts = ending_ ? 100 : 1;  // the process's own exit status says more than that of SIGKILL
  constexpr timespec kAttemptInterval{.tv_sec = 0, .tv_nsec = 10'000'000};
  int status = 0;
  pid_t ended = 0;
  for (int attempt = 0; attempt != attempts && (ended = ::waitpid(process_, &status, WNOHANG)) == 0; ++attempt) {
    ::nanosleep(&kAttemptInterval, nullptr);
  }
  if (ended == 0) ::kill(process_, SIGKILL);
  while (ended <= 0 && (ended = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == kExitNotStarted) return "the program could not be started";
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace volt::config
