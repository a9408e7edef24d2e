// SPDX-License-Identifier: MIT

#include "config/process/lifecycle.h"
#include "config/options/config_log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace volt::config {
namespace {

using std::chrono::milliseconds;

constexpr auto kBetweenNudges = milliseconds(10);
constexpr auto kReplacementStartTimeout = std::chrono::seconds(60);
constexpr auto kReloadDebounce = milliseconds(500);
constexpr auto kLastTasks = milliseconds(100);
constexpr auto kBetweenLooks = milliseconds(1);
constexpr int kExitCutShort = 1;

Task<> do_nothing() { co_return; }

std::vector<std::string> files_of(const std::vector<ListenerTransport>& transports) {
  std::vector<std::string> all;
  for (const auto& [place, source] : transports) {
    for (std::string& file : source->files()) all.push_back(std::move(file));
  }
  return all;
}

}  // namespace

Lifecycle::Lifecycle(const ServerParts& parts)
    : parts_(parts), log_(parts.runtime.log()), files_(files_of(parts.transports)) {}

int Lifecycle::run() {
  manager_.ready();
  parts_.ops.set_ready(true);
  for (;;) {
    wait();
    beat();
    reload_changed_files();
    heap_trim_.look();
    if (replacement_ready())
      return drain(milliseconds(0));  // needs no delay: the replacement process accepts connections
    const std::optional<int> number = parts_.signals.try_next();
    if (!number) continue;
    if (ends_server(*number)) {
      if (replacement_) static_cast<void>(replacement_->end());  // the replacement process does not serve yet
      manager_.stopping();
      return drain(parts_.drain.delay);
    }
    if (*number == SIGUSR2) start_replacement();
    if (*number == SIGHUP) {
      reload_log();  // first, so that the lines of reload() are in the new file
      reload();
    }
  }
}

void Lifecycle::wait() {
  Clock::time_point until = heap_trim_.next_look();
  if (manager_.watchdog_interval()) until = std::min(until, beat_at_);
  if (replacement_) until = std::min(until, replacement_ready_by_);
  if (reload_at_) until = std::min(until, *reload_at_);
  int timeout_ms = -1;
  if (until != Clock::time_point::max())
    timeout_ms =
        static_cast<int>(std::max(std::chrono::ceil<milliseconds>(until - Clock::now()), milliseconds(0)).count());
  pollfd fds[] = {
      {parts_.signals.fd(), POLLIN, 0}, {replacement_ ? replacement_->fd() : -1, POLLIN, 0}, {files_.fd(), POLLIN, 0}};
  ::poll(fds, std::size(fds), timeout_ms);
}

void Lifecycle::beat() {
  const auto every = manager_.watchdog_interval();
  if (!every || Clock::now() < beat_at_) return;
  beat_at_ = Clock::now() + *every;
  // If the task of the last heartbeat has not run, the workers make no progress, and the service manager gets no
  // notification.
  if (heartbeat_ && !heartbeat_->done()) return;
  manager_.alive();
  heartbeat_.emplace(parts_.runtime.spawn(do_nothing));
}

void Lifecycle::reload() {
  manager_.reloading();
  reload_at_.reset();
  bool all = true;
  for (const auto& [place, source] : parts_.transports) {
    const auto reloaded = source->reload();
    all = all && reloaded;
    if (!reloaded)
      kConfigLog.to(log_, LogLevel::error, "reload failed, the previous certificates and keys stay in use",
                    {{"reason", reloaded.error()}});
    for (const std::string& warning : source->warnings()) kConfigLog.to(log_, LogLevel::warning, warning);
  }
  if (all) kConfigLog.to(log_, LogLevel::info, "reloaded");
  manager_.ready();
}

void Lifecycle::reload_log() {
  if (const std::error_code failed = log_.reopen())
    kConfigLog.to(log_, LogLevel::error, "cannot open log.file again, lines go to the file that was open before",
                  {{"error", failed.message()}});
  const auto levels = parts_.log_levels();
  const auto set = levels ? log_.set_levels(*levels) : std::unexpected(levels.error());
  if (!set)
    kConfigLog.to(log_, LogLevel::error, "reload failed, the previous log levels stay in use",
                  {{"reason", set.error()}});
}

void Lifecycle::reload_changed_files() {
  if (files_.changed()) reload_at_ = Clock::now() + kReloadDebounce;
  if (reload_at_ && Clock::now() >= *reload_at_) reload();
}

void Lifecycle::start_replacement() {
  if (replacement_) return;
  if (::getpid() == 1) {
    kConfigLog.to(log_, LogLevel::warning,
                  "SIGUSR2 ignored: process 1 cannot be replaced, since its end would stop the container");
    return;
  }
  Result<ReplacementProcess> started = ReplacementProcess::start({.program = parts_.program,
                                                                  .argv = parts_.argv,
                                                                  .sockets = parts_.sockets.copies(),
                                                                  .handoff = seal_handoff_secrets(),
                                                                  .states = hand_over_states(),
                                                                  .signal_mask = parts_.signals.mask_before()});
  if (!started) {
    for (const auto& state : parts_.states) state->end_handover();
    kConfigLog.to(log_, LogLevel::error, "could not start a replacement process",
                  {{"error", started.error().message()}});
    return;
  }
  manager_.reloading();
  replacement_ = std::move(*started);
  replacement_ready_by_ = Clock::now() + kReplacementStartTimeout;
  kConfigLog.to(log_, LogLevel::info, "started a replacement process", {{"pid", replacement_->process()}});
}

FileDescriptor Lifecycle::seal_handoff_secrets() {
  std::vector<HandoffSecret> handoff_secrets;
  for (const auto& [place, source] : parts_.transports) {
    if (std::string secret = source->handoff_secret(); !secret.empty())
      handoff_secrets.push_back({place, std::move(secret)});
  }
  if (handoff_secrets.empty()) return {};
  Result<FileDescriptor> sealed = seal(handoff_secrets);
  wipe(handoff_secrets);
  if (sealed) return std::move(*sealed);
  kConfigLog.to(log_, LogLevel::warning, "could not hand over TLS ticket keys, clients cannot resume their sessions",
                {{"error", sealed.error().message()}});
  return {};
}

std::vector<State> Lifecycle::hand_over_states() {
  std::vector<State> states;
  for (const auto& state : parts_.states) {
    if (const int fd = state->begin_handover(); fd >= 0) {
      states.push_back({state->name(), fd});
    } else {
      kConfigLog.to(log_, LogLevel::warning,
                    "could not hand over state of the app: the replacement process starts without it",
                    {{"state", state->name()}});
    }
  }
  return states;
}

bool Lifecycle::replacement_ready() {
  if (!replacement_) return false;
  pollfd readable{replacement_->fd(), POLLIN, 0};
  if (::poll(&readable, 1, 0) != 1) {
    if (Clock::now() >= replacement_ready_by_) abandon_replacement();
    return false;
  }
  if (!replacement_->serves()) {
    abandon_replacement();
    return false;
  }
  kConfigLog.to(log_, LogLevel::info, "the replacement process is ready", {{"pid", replacement_->process()}});
  manager_.handed_over(replacement_->process());
  parts_.sockets.hand_over();
  parts_.ops.stop();  // from here on the replacement process responds on the ops endpoint
  return true;
}

void Lifecycle::abandon_replacement() {
  kConfigLog.to(log_, LogLevel::error, "the replacement process failed, this process continues",
                {{"pid", replacement_->process()}, {"reason", replacement_->end()}});
  replacement_.reset();
  for (const auto& state : parts_.states) state->end_handover();
  if (const auto written = parts_.pid_file.write(); !written)
    kConfigLog.to(log_, LogLevel::error, "cannot write process.pid_file", {{"error", written.error().message()}});
  manager_.ready();
}

int Lifecycle::drain(milliseconds delay) {
  kConfigLog.to(log_, LogLevel::info, "draining", {{"connections", parts_.server.connection_count()}});
  const Clock::time_point began = Clock::now();
  const bool graceful = drain_gracefully(delay);
  report_drain(began);
  return graceful ? 0 : kExitCutShort;
}

// The task of a connection ends a moment after the connection.
void Lifecycle::report_drain(Clock::time_point began) {
  const auto took = Clock::now() - began;
  const std::size_t connections = parts_.server.connection_count();
  std::uint64_t tasks = parts_.runtime.tasks(0).live;
  for (auto waited = milliseconds(0); tasks > connections && waited < kLastTasks; waited += kBetweenLooks) {
    std::this_thread::sleep_for(kBetweenLooks);
    tasks = parts_.runtime.tasks(0).live;
  }
  kConfigLog.to(log_, connections != 0 ? LogLevel::warning : LogLevel::info, "drained",
                {{"took", took}, {"connections_cut", connections}, {"tasks_cut", tasks}});
}

bool Lifecycle::drain_gracefully(milliseconds delay) {
  ends_by_ = Clock::now() + delay + parts_.drain.grace;
  parts_.server.announce_drain();
  if (second_signal_within(delay)) return false;
  if (parts_.sockets.close_copies()) parts_.server.note_duplicates_closed();
  parts_.server.start_drain();
  ends_by_ = Clock::now() + parts_.drain.grace;
  while (!parts_.server.drained() && Clock::now() < ends_by_) {
    if (second_signal_within(kBetweenNudges)) return false;
    parts_.server.nudge();
  }
  return true;
}

bool Lifecycle::second_signal_within(milliseconds limit) {
  const Clock::time_point until = Clock::now() + limit;
  for (;;) {
    beat();
    while (const std::optional<int> number = parts_.signals.try_next()) {
      if (ends_server(*number)) return true;
    }
    auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    if (left <= milliseconds(0)) return false;
    if (const auto every = manager_.watchdog_interval()) left = std::min(left, std::chrono::ceil<milliseconds>(*every));
    pollfd readable{parts_.signals.fd(), POLLIN, 0};
    ::poll(&readable, 1, static_cast<int>(left.count()));
  }
}

}  // namespace volt::config
