// SPDX-License-Identifier: MIT

// The functions that the linker substitutes for the server's system calls (--wrap, tests/CMakeLists.txt). A call goes
// to the simulated kernel if its thread takes part and it concerns a simulated descriptor or another thread; otherwise
// to Linux. The functions that concern threads and the time are in thread_calls.cpp.
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/base/check.h"
#include "tests/simulation/kernel.h"

namespace volt::simulation {
namespace {

thread_local SimulatedKernel* t_kernel = nullptr;
thread_local bool t_drives = false;
thread_local int t_inside = 0;

long answer(long result) noexcept {
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

int small_answer(long result) noexcept { return static_cast<int>(answer(result)); }

// Returns the kernel that handles a call on `fd`, or null for Linux.
SimulatedKernel* kernel_of(int fd) noexcept { return SimulatedKernel::owns(fd) ? t_kernel : nullptr; }

int give_address(sockaddr* address, socklen_t* bytes, std::uint32_t host, std::uint16_t port) noexcept {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_addr.s_addr = htonl(host);
  made.sin_port = htons(port);
  std::copy_n(reinterpret_cast<const char*>(&made), std::min<std::size_t>(*bytes, sizeof made),
              reinterpret_cast<char*>(address));
  *bytes = sizeof made;
  return 0;
}

// Returns the timeout of io_uring_enter(2) in nanoseconds; < 0: none.
std::int64_t timeout_of(unsigned flags, long argument) noexcept {
  if ((flags & IORING_ENTER_EXT_ARG) == 0) return -1;
  const auto& extended = *reinterpret_cast<const io_uring_getevents_arg*>(argument);
  const auto& time = *reinterpret_cast<const __kernel_timespec*>(extended.ts);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// A wait or a wake of std::atomic, whose flags and timeouts the runtime does not use.
long wait_or_wake(SimulatedKernel& kernel, const int* word, long operation, long value) {
  const InsideKernel inside;
  kernel.pass_time();
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAKE) {
    kernel.threads().wake(word, static_cast<std::size_t>(value));
    return 0;
  }
  VOLT_CHECK((operation & FUTEX_CMD_MASK) == FUTEX_WAIT);
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != static_cast<int>(value)) return -EAGAIN;
  kernel.threads().wait_for(word, Timeline::kNever);
  return 0;
}

// Return an injected error for a call on a file; 0 for none, or outside the simulation.
int file_fault() noexcept { return t_kernel == nullptr ? 0 : t_kernel->fault_injector().file_fault(); }
int open_fault() noexcept { return t_kernel == nullptr ? 0 : t_kernel->fault_injector().open_fault(); }

}  // namespace

SimulatedKernel* current_kernel() noexcept { return t_kernel; }
void set_current_kernel(SimulatedKernel* kernel) noexcept { t_kernel = kernel; }

Installed::Installed(SimulatedKernel& kernel) noexcept {
  t_kernel = &kernel;
  t_drives = true;
}
Installed::~Installed() { t_kernel = nullptr; }

bool inside_server() noexcept { return t_kernel != nullptr && !t_drives && t_inside == 0; }
bool inside_kernel() noexcept { return t_inside != 0; }
InsideKernel::InsideKernel() noexcept { ++t_inside; }
InsideKernel::~InsideKernel() { --t_inside; }

}  // namespace volt::simulation

using namespace volt::simulation;

extern "C" {

int __real_io_uring_queue_init_params(unsigned, io_uring*, io_uring_params*);
void __real_io_uring_queue_exit(io_uring*);
int __real_io_uring_register_ring_fd(io_uring*);
int __real_io_uring_submit(io_uring*);
int __real_io_uring_submit_and_get_events(io_uring*);
int __real_io_uring_submit_and_wait(io_uring*, unsigned);
long __real_syscall(long number, ...);
int __real_accept4(int, sockaddr*, socklen_t*, int);
int __real_bind(int, const sockaddr*, socklen_t);
int __real_close(int);
int __real_epoll_create1(int);
int __real_epoll_ctl(int, int, int, epoll_event*);
int __real_epoll_pwait2(int, epoll_event*, int, const timespec*, const sigset_t*);
int __real_epoll_wait(int, epoll_event*, int, int);
int __real_eventfd(unsigned, int);
int __real_fcntl(int, int, ...);
int __real_getpeername(int, sockaddr*, socklen_t*);
ssize_t __real_getrandom(void*, std::size_t, unsigned);
int __real_getsockname(int, sockaddr*, socklen_t*);
int __real_getsockopt(int, int, int, void*, socklen_t*);
int __real_listen(int, int);
int __real_open(const char*, int, ...);
int __real_poll(pollfd*, nfds_t, int);
ssize_t __real_pread(int, void*, std::size_t, off_t);
ssize_t __real_preadv2(int, const iovec*, int, off_t, int);
ssize_t __real_read(int, void*, std::size_t);
ssize_t __real_sendfile(int, int, off_t*, std::size_t);
int __real_setsockopt(int, int, int, const void*, socklen_t);
int __real_shutdown(int, int);
int __real_socket(int, int, int);
ssize_t __real_write(int, const void*, std::size_t);

long __wrap_syscall(long number, ...) {
  long argument[6];
  va_list list;
  va_start(list, number);
  for (long& one : argument) one = va_arg(list, long);
  va_end(list);
  const int fd = static_cast<int>(argument[0]);
  if (number == SYS_recvfrom || number == SYS_sendto) {
    if (SimulatedKernel* kernel = kernel_of(fd)) {
      const InsideKernel inside;
      auto* bytes = reinterpret_cast<void*>(argument[1]);
      const auto size = static_cast<std::size_t>(argument[2]);
      return answer(number == SYS_recvfrom ? kernel->receive(fd, bytes, size, static_cast<int>(argument[3]))
                                           : kernel->transmit(fd, bytes, size, "send"));
    }
  }
  if (number == SYS_io_uring_enter) {
    if (SimulatedKernel* kernel = kernel_of(fd)) {
      const InsideKernel inside;
      const bool waits = argument[2] != 0;
      return answer(kernel->enter(fd, waits ? timeout_of(static_cast<unsigned>(argument[3]), argument[4]) : 0));
    }
  }
  if (number == SYS_io_uring_register && fd < 0 && t_kernel != nullptr) {
    const InsideKernel inside;
    const auto& request = *reinterpret_cast<const io_uring_sqe*>(argument[2]);
    return answer(t_kernel->send_message(request.fd, request.off));
  }
  if (number == SYS_futex && t_kernel != nullptr && t_inside == 0) {
    return answer(wait_or_wake(*t_kernel, reinterpret_cast<const int*>(argument[0]), argument[1], argument[2]));
  }
  if (number == SYS_rt_tgsigqueueinfo && t_kernel != nullptr && t_inside == 0) {
    const InsideKernel inside;
    t_kernel->pass_time();
    t_kernel->threads().send_signal(static_cast<pid_t>(argument[1]), *reinterpret_cast<const siginfo_t*>(argument[3]));
    return 0;
  }
  return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

int __wrap_socket(int domain, int type, int protocol) {
  if (t_kernel == nullptr) return __real_socket(domain, type, protocol);
  const InsideKernel inside;
  return small_answer(t_kernel->make_socket());
}

int __wrap_bind(int fd, const sockaddr* address, socklen_t bytes) {
  return kernel_of(fd) != nullptr ? 0 : __real_bind(fd, address, bytes);
}

int __wrap_listen(int fd, int backlog) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_listen(fd, backlog);
  const InsideKernel inside;
  return small_answer(kernel->listen_on(fd));
}

int __wrap_accept4(int fd, sockaddr* address, socklen_t* bytes, int flags) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_accept4(fd, address, bytes, flags);
  const InsideKernel inside;
  return small_answer(kernel->accept_on(fd));
}

int __wrap_close(int fd) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_close(fd);
  const InsideKernel inside;
  return small_answer(kernel->close(fd));
}

int __wrap_shutdown(int fd, int how) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_shutdown(fd, how);
  const InsideKernel inside;
  return small_answer(kernel->shut_down(fd, how));
}

int __wrap_setsockopt(int fd, int level, int option, const void* value, socklen_t bytes) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_setsockopt(fd, level, option, value, bytes);
  if (level != SOL_SOCKET || option != SO_LINGER) return 0;
  const InsideKernel inside;
  return small_answer(kernel->set_linger(fd, static_cast<const linger*>(value)->l_onoff != 0));
}

int __wrap_getsockopt(int fd, int level, int option, void* value, socklen_t* bytes) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_getsockopt(fd, level, option, value, bytes);
  if (level != SOL_SOCKET || option != SO_ACCEPTCONN) return small_answer(-ENOPROTOOPT);
  const InsideKernel inside;
  const int listens = kernel->is_listener(fd) ? 1 : 0;
  std::memcpy(value, &listens, sizeof listens);
  return 0;
}

int __wrap_getsockname(int fd, sockaddr* address, socklen_t* bytes) {
  if (kernel_of(fd) == nullptr) return __real_getsockname(fd, address, bytes);
  return give_address(address, bytes, INADDR_LOOPBACK, 8080);
}

int __wrap_getpeername(int fd, sockaddr* address, socklen_t* bytes) {
  if (kernel_of(fd) == nullptr) return __real_getpeername(fd, address, bytes);
  return give_address(address, bytes, INADDR_LOOPBACK + 1, 40'000);
}

int __wrap_fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  return kernel_of(fd) != nullptr ? 0 : __real_fcntl(fd, command, argument);
}

ssize_t __wrap_sendfile(int fd, int file, off_t* offset, std::size_t size) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_sendfile(fd, file, offset, size);
  const InsideKernel inside;
  std::vector<char> bytes(std::min<std::size_t>(size, SimulatedKernel::kDownBytes));
  const ssize_t count = __real_pread(file, bytes.data(), bytes.size(), *offset);
  if (count <= 0) return count;
  return answer(kernel->transmit(fd, bytes.data(), static_cast<std::size_t>(count), "sendfile"));
}

int __wrap_epoll_create1(int flags) {
  if (t_kernel == nullptr) return __real_epoll_create1(flags);
  const InsideKernel inside;
  return small_answer(t_kernel->make_epoll());
}

int __wrap_io_uring_queue_init_params(unsigned entries, io_uring* ring, io_uring_params* parameters) {
  if (t_kernel == nullptr) return __real_io_uring_queue_init_params(entries, ring, parameters);
  const InsideKernel inside;
  return t_kernel->make_ring(entries, parameters->cq_entries, *ring);
}

void __wrap_io_uring_queue_exit(io_uring* ring) {
  SimulatedKernel* kernel = kernel_of(ring->ring_fd);
  if (kernel == nullptr) return __real_io_uring_queue_exit(ring);
  const InsideKernel inside;
  kernel->close(ring->ring_fd);
}

int __wrap_io_uring_register_ring_fd(io_uring* ring) {
  return kernel_of(ring->ring_fd) != nullptr ? 1 : __real_io_uring_register_ring_fd(ring);
}

int __wrap_io_uring_submit(io_uring* ring) {
  SimulatedKernel* kernel = kernel_of(ring->ring_fd);
  if (kernel == nullptr) return __real_io_uring_submit(ring);
  const InsideKernel inside;
  return kernel->submit(*ring);
}

int __wrap_io_uring_submit_and_get_events(io_uring* ring) {
  SimulatedKernel* kernel = kernel_of(ring->ring_fd);
  if (kernel == nullptr) return __real_io_uring_submit_and_get_events(ring);
  const InsideKernel inside;
  const int submitted = kernel->submit(*ring);
  return submitted < 0 ? submitted : kernel->enter(ring->ring_fd, 0);
}

int __wrap_io_uring_submit_and_wait(io_uring* ring, unsigned count) {
  SimulatedKernel* kernel = kernel_of(ring->ring_fd);
  if (kernel == nullptr) return __real_io_uring_submit_and_wait(ring, count);
  const InsideKernel inside;
  return kernel->submit(*ring, false);  // never fails: the run's engine must not depend on chance
}

int __wrap_eventfd(unsigned value, int flags) {
  if (t_kernel == nullptr) return __real_eventfd(value, flags);
  const InsideKernel inside;
  return small_answer(t_kernel->make_eventfd());
}

int __wrap_epoll_ctl(int epoll, int operation, int fd, epoll_event* event) {
  SimulatedKernel* kernel = kernel_of(epoll);
  if (kernel == nullptr) return __real_epoll_ctl(epoll, operation, fd, event);
  const InsideKernel inside;
  return small_answer(kernel->watch(epoll, operation, fd, event));
}

int __wrap_epoll_wait(int epoll, epoll_event* events, int count, int timeout_ms) {
  SimulatedKernel* kernel = kernel_of(epoll);
  if (kernel == nullptr) return __real_epoll_wait(epoll, events, count, timeout_ms);
  const InsideKernel inside;
  return small_answer(kernel->wait(epoll, events, count, timeout_ms * std::int64_t{1'000'000}));
}

int __wrap_epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* timeout, const sigset_t* mask) {
  SimulatedKernel* kernel = kernel_of(epoll);
  if (kernel == nullptr) return __real_epoll_pwait2(epoll, events, count, timeout, mask);
  const InsideKernel inside;
  const std::int64_t for_ns = timeout == nullptr ? -1 : timeout->tv_sec * 1'000'000'000 + timeout->tv_nsec;
  return small_answer(kernel->wait(epoll, events, count, for_ns));
}

int __wrap_poll(pollfd* descriptors, nfds_t count, int timeout_ms) {
  SimulatedKernel* kernel = count == 1 ? kernel_of(descriptors->fd) : nullptr;
  if (kernel == nullptr) return __real_poll(descriptors, count, timeout_ms);
  const InsideKernel inside;
  static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR && POLLHUP == EPOLLHUP &&
                POLLRDHUP == EPOLLRDHUP);
  const auto events = static_cast<std::uint32_t>(descriptors->events);
  descriptors->revents = static_cast<short>(kernel->poll(descriptors->fd, events));
  return descriptors->revents != 0 ? 1 : 0;
}

ssize_t __wrap_read(int fd, void* into, std::size_t size) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_read(fd, into, size);
  const InsideKernel inside;
  return answer(kernel->read_thread_state(fd, into, size));
}

ssize_t __wrap_write(int fd, const void* from, std::size_t size) {
  SimulatedKernel* kernel = kernel_of(fd);
  if (kernel == nullptr) return __real_write(fd, from, size);
  const InsideKernel inside;
  return answer(kernel->signal(fd));
}

int __wrap_open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  pid_t thread = 0;
  if (t_kernel != nullptr && std::sscanf(path, "/proc/self/task/%d/stat", &thread) == 1) {
    const InsideKernel inside;
    return small_answer(t_kernel->open_thread_state(thread));
  }
  if (const int fault = open_fault()) return small_answer(-fault);
  return __real_open(path, flags, mode);
}

ssize_t __wrap_pread(int fd, void* into, std::size_t size, off_t offset) {
  if (SimulatedKernel* kernel = kernel_of(fd)) {
    const InsideKernel inside;
    return answer(kernel->read_thread_state(fd, into, size));
  }
  if (const int fault = file_fault()) return answer(-fault);
  return __real_pread(fd, into, size, offset);
}

ssize_t __wrap_preadv2(int fd, const iovec* into, int count, off_t offset, int flags) {
  if (const int fault = file_fault()) return answer(-fault);
  return __real_preadv2(fd, into, count, offset, flags);
}

ssize_t __wrap_getrandom(void* into, std::size_t size, unsigned flags) {
  if (t_kernel == nullptr) return __real_getrandom(into, size, flags);
  for (std::size_t i = 0; i != size; ++i) static_cast<unsigned char*>(into)[i] = t_kernel->chance().next() & 0xff;
  return static_cast<ssize_t>(size);
}

}  // extern "C"
