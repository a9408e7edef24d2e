// SPDX-License-Identifier: MIT

#include "tests/kernels/server_process.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "config/run.h"
#include "http/server/app.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt::test {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(60);

[[noreturn]] void serve(unsigned workers, const io::RingOptions& ring) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  io::default_ring = ring;
  std::vector<std::string> words = {"server",
                                    "--listen",
                                    "127.0.0.1:0",
                                    "--workers",
                                    std::to_string(workers),
                                    "--io",
                                    test_engine() == io::Engine::uring ? "uring" : "epoll",
                                    "--server.idle-timeout",
                                    "1h",
                                    "--drain.grace",
                                    std::to_string(ServerProcess::kDrainGrace.count()) + "s"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  http::App app;
  app.get("/", [] { return http::Response::fixed("Hello, World!"); });
  ::_exit(run(app, static_cast<int>(words.size()), arguments.data()));
}

// Returns the port of the line "listening on 127.0.0.1:PORT"; 0 if the log has none yet.
std::uint16_t listening_port(const std::string& log) {
  constexpr std::string_view kBefore = "listening on 127.0.0.1:";
  const std::size_t at = log.find(kBefore);
  return at == std::string::npos ? 0 : static_cast<std::uint16_t>(std::atoi(log.c_str() + at + kBefore.size()));
}

}  // namespace

ServerProcess::ServerProcess(unsigned workers, const io::RingOptions& ring) {
  log_fd_ = ::memfd_create("log", MFD_CLOEXEC);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(log_fd_, STDERR_FILENO);
    serve(workers, ring);
  }
  if (log_fd_ >= 0 && pid_ > 0 && eventually([this] { return (port_ = listening_port(log())) != 0; }, kStartLimit)) {
    return;
  }
  throw std::runtime_error("the server did not start:\n" + log());
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(log_fd_);
}

std::string ServerProcess::log() const {
  std::string text(64 * 1024, '\0');
  const ssize_t size = ::pread(log_fd_, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

void ServerProcess::stop() const {
  ::kill(pid_, SIGSTOP);
  int status = 0;
  if (::waitpid(pid_, &status, WUNTRACED) != pid_ || !WIFSTOPPED(status)) {
    throw std::runtime_error("the server ended instead of stopping:\n" + log());
  }
}

void ServerProcess::resume() const { ::kill(pid_, SIGCONT); }

pid_t ServerProcess::thread(const std::string& name) const {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task")) {
    std::string line;
    std::getline(std::ifstream(entry.path() / "comm") >> std::ws, line);
    if (line == name) return std::stoi(entry.path().filename().string());
  }
  return 0;
}

std::optional<std::chrono::milliseconds> ServerProcess::terminate(std::chrono::milliseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  ::kill(pid_, SIGTERM);
  int status = 0;
  if (!eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, limit)) return std::nullopt;
  pid_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
}

HeldThread::HeldThread(pid_t thread)
    : thread_(thread),
      holds_(::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) == 0 &&
             ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0 &&
             ::waitpid(thread, nullptr, __WALL) == thread) {}

HeldThread::~HeldThread() {
  if (holds_) ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
}

}  // namespace volt::test
