// SPDX-License-Identifier: MIT

#include "runtime/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "runtime/base/check.h"
#include "runtime/file_descriptor.h"
#include "runtime/internal/on_pool.h"
#include "runtime/spawn.h"

namespace volt {
namespace {

// The file actions and attributes for posix_spawn(3). Functions that add to them fail only if memory is exhausted.
class SpawnPlan {
 public:
  SpawnPlan() {
    VOLT_CHECK(::posix_spawn_file_actions_init(&actions_) == 0);
    VOLT_CHECK(::posix_spawnattr_init(&attributes_) == 0);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void add(int error_number) noexcept { failure_ = failure_ == 0 ? error_number : failure_; }
  [[nodiscard]] posix_spawn_file_actions_t* actions() noexcept { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }
  [[nodiscard]] int failure() const noexcept { return failure_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  int failure_ = 0;
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Duplicates a descriptor to a number above 2, and closes the original. Otherwise the setup of one of the program's
// standard streams (0, 1 and 2) could overwrite the descriptor of another stream.
Result<FileDescriptor> raised(int fd) {
  FileDescriptor low(fd);
  FileDescriptor high(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!high) return system_error(errno);
  return high;
}

std::optional<ExitStatus> take_status(idtype_t kind, int id, int flags, int& failure) noexcept {
  siginfo_t info{};
  while ((failure = ::waitid(kind, static_cast<id_t>(id), &info, WEXITED | flags) == 0 ? 0 : errno) == EINTR) {
  }
  if (failure != 0 || info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ExitStatus{.code = info.si_status};
  return ExitStatus{.signal = info.si_status};
}

// Reaps a killed process; blocks only until the kernel has ended the process.
void reap(idtype_t kind, int id) noexcept {
  int failure = 0;
  [[maybe_unused]] const auto status = take_status(kind, id, 0, failure);
}

// Waits for a killed process in a task, so that no worker blocks, and reaps it.
Task<> reap_later(net::SocketOwner pidfd) {
  try {
    // A wait may end although the process still runs. It always does if the reactor cannot watch the descriptor.
    for (int failure = 0; !pidfd->ended(net::Direction::read);) {
      if (take_status(P_PIDFD, pidfd->fd(), WNOHANG, failure) || failure != 0) co_return;
      [[maybe_unused]] const Result<void> ready = co_await pidfd->ready(net::Direction::read);
    }
  } catch (const Cancelled&) {  // decided: the runtime stops; reap now so that no zombie is left
  }
  reap(P_PIDFD, pidfd->fd());
}

}  // namespace

// ---- Process ----

Process::Process(pid_t id, int pidfd) : id_(id), pidfd_(net::own_socket(pidfd)) { pidfd_->never_shut_down(); }
Process::Process(Process&& other) noexcept = default;

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  end();
  id_ = other.id_;
  pidfd_ = std::move(other.pidfd_);
  status_ = other.status_;
  for (std::size_t i = 0; i != 3; ++i) streams_[i] = std::move(other.streams_[i]);
  return *this;
}

Process::~Process() { end(); }

void Process::end() noexcept {
  if (!pidfd_ || status_) return;
  [[maybe_unused]] const Result<void> killed = send_signal(SIGKILL);
  const sched::Context* context = sched::current();
  if (context == nullptr || context->task == nullptr) return reap(P_PIDFD, pidfd_->fd());
  try {
    spawn(reap_later, std::move(pidfd_)).detach();
  } catch (const std::bad_alloc&) {  // decided: this worker blocks instead; the descriptor is gone with the task
    reap(P_PID, id_);
  }
}

Task<Result<ExitStatus>> Process::wait() {
  for (int failure = 0; !status_;) {
    status_ = take_status(P_PIDFD, pidfd_->fd(), WNOHANG, failure);
    if (failure != 0) co_return system_error(failure);
    if (status_) break;
    if (pidfd_->ended(net::Direction::read)) co_return system_error(ENOBUFS);  // the reactor cannot watch it
    const Result<void> ready = co_await pidfd_->ready(net::Direction::read);
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return *status_;
}

Result<void> Process::send_signal(int number) noexcept {
  if (status_ || ::syscall(SYS_pidfd_send_signal, pidfd_->fd(), number, nullptr, 0) == 0) return {};
  return system_error(errno);
}

// ---- Command ----

Command& Command::arg(std::string argument) & {
  arguments_.push_back(std::move(argument));
  return *this;
}

Command& Command::directory(std::string path) & {
  directory_ = std::move(path);
  return *this;
}

Command& Command::environment(std::vector<std::string> variables) & {
  environment_ = std::move(variables);
  return *this;
}

Task<Result<Process>> Command::start() const {
  return fs::on_pool([command = *this] { return command.start_now(); });
}

// Uses posix_spawn(3), not fork(2): with glibc the child shares this process's memory until exec, so nothing is copied.
Result<Process> Command::start_now() const {
  SpawnPlan plan;
  std::optional<UnixStream> ours[3];
  FileDescriptor theirs[3];  // the program's ends, closed after it has started
  for (int i = 0; i != 3; ++i) {
    if (stdio_[i] == Stdio::none) {
      const int flags = i == 0 ? O_RDONLY : O_WRONLY;
      plan.add(::posix_spawn_file_actions_addopen(plan.actions(), i, "/dev/null", flags, 0));
    }
    if (stdio_[i] != Stdio::stream) continue;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return system_error(errno);
    FileDescriptor our_end(ends[0]);
    Result<FileDescriptor> end = raised(ends[1]);
    if (!end) return std::unexpected(end.error());
    theirs[i] = std::move(*end);
    ours[i].emplace(our_end.release());
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return system_error(errno);
    plan.add(::posix_spawn_file_actions_adddup2(plan.actions(), theirs[i].get(), i));
  }
  if (!directory_.empty()) plan.add(::posix_spawn_file_actions_addchdir_np(plan.actions(), directory_.c_str()));
  if (plan.failure() != 0) return system_error(plan.failure());

  const std::vector<char*> arguments = pointers_to(arguments_);
  const std::vector<char*> variables = environment_ ? pointers_to(*environment_) : std::vector<char*>();
  pid_t id = 0;
  const int failure = ::posix_spawnp(&id, arguments[0], plan.actions(), plan.attributes(), arguments.data(),
                                     environment_ ? variables.data() : ::environ);
  if (failure != 0) return system_error(failure);
  const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, id, 0));
  if (pidfd < 0) {
    const int number = errno;
    ::kill(id, SIGKILL);
    ::waitpid(id, nullptr, 0);
    return system_error(number);
  }
  try {
    Process process(id, pidfd);
    for (int i = 0; i != 3; ++i) process.streams_[i] = std::move(ours[i]);
    return process;
  } catch (const std::bad_alloc&) {  // decided: a program without an owner must not run on; then rethrown
    ::kill(id, SIGKILL);
    ::waitpid(id, nullptr, 0);
    throw;
  }
}

}  // namespace volt
