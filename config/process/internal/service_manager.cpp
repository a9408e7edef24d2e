// SPDX-License-Identifier: MIT

#include "config/process/internal/service_manager.h"

#include <sys/socket.h>
#include <time.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace volt::config {
namespace {

std::optional<std::int64_t> positive_number(const char* text) noexcept {
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, failure] = std::from_chars(text, end, number);
  if (failure != std::errc{} || stop != end || number <= 0) return std::nullopt;
  return number;
}

}  // namespace

ServiceManager::ServiceManager()
    : ServiceManager(std::getenv("NOTIFY_SOCKET"), std::getenv("WATCHDOG_USEC"), std::getenv("WATCHDOG_PID")) {}

ServiceManager::ServiceManager(const char* notify_socket, const char* watchdog_usec, const char* watchdog_pid) {
  if (notify_socket == nullptr) return;
  const auto address = Address::parse("unix:" + std::string(notify_socket));
  if (!address) return;
  manager_ = *address;
  socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const bool for_us = watchdog_pid == nullptr || positive_number(watchdog_pid) == ::getpid();
  const auto limit = positive_number(watchdog_usec);
  if (limit && for_us)
    watchdog_interval_ = std::chrono::microseconds(*limit / 2);  // as sd_watchdog_enabled(3) recommends
}

void ServiceManager::reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t usec = static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec));
}

void ServiceManager::handed_over(int process) { send("MAINPID=" + std::to_string(process) + "\nREADY=1"); }

void ServiceManager::send(std::string_view state) noexcept {
  if (!socket_) return;
  ::sendto(socket_.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT, manager_.data(),
           manager_.size_bytes());
}

}  // namespace volt::config
