// SPDX-License-Identifier: MIT

#include "runtime/io/uring_reactor.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/io/uapi.h"

namespace volt::io {
namespace {

// The size of the submission queue. Each poll that is armed or ended in a tick needs one entry. When the queue is full,
// an additional enter empties it.
constexpr unsigned kSubmissionEntries = 256;
// The size of the completion queue: room for one completion per tick from each of this many sources. When the queue
// overflows, no event is lost (IORING_FEAT_NODROP), but polls end and must be armed again.
constexpr unsigned kCompletionEntries = 4096;
// The size of the completion queue on kernels before 6.13, on which one enter posts a completion for every ready
// source.
constexpr unsigned kCompletionEntriesOfOldKernels = 16'384;
constexpr unsigned kSmallestEntries = 16;

// The kernel runs about 20 deferred completions per enter (IO_LOCAL_TW_DEFAULT_MAX, since 6.13). If an enter brought
// nearly as many, more are probably left, so the reactor enters again. If an enter brought fewer, only events that
// arrived in the meantime are left; these can wait for the next tick. The number of rounds is bounded, because the
// worker runs no task until they end.
constexpr unsigned kEventsOfFullEnter = 16;
constexpr int kRoundsPerPoll = 16;

// If one of these flags is set, the kernel has completions that it posts to the queue only when the owner enters the
// kernel.
constexpr unsigned kHiddenWork = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;

// The low bits of a completion's user data are one of these tags. The bits above are the address of a Source or a
// FileOperation.
constexpr std::uint64_t kTagMask = 7;
constexpr std::uint64_t kSourceTag = 0;
constexpr std::uint64_t kWakeTag = 1;
constexpr std::uint64_t kIgnoreTag = 2;
constexpr std::uint64_t kFileTag = 3;

constexpr std::size_t kTransferBytesMax = 0x7ffff000;

constexpr std::int64_t kSubmitAgainNs = 1'000'000;

constexpr unsigned kWatchedEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP;

std::int64_t monotonic_now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

int set_up_ring(io_uring& ring, unsigned flags, unsigned completion_entries) noexcept {
  // The kernel counts a ring against the user's memlock limit until some time after the ring was closed. So a ring may
  // be refused for a while (ENOMEM), and a smaller one is tried then.
  unsigned entries = std::min(kSubmissionEntries, completion_entries);  // the kernel refuses a shorter completion queue
  for (;; entries /= 2, completion_entries /= 2) {
    io_uring_params params{};
    params.flags = flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
    params.cq_entries = completion_entries;
    const int result = io_uring_queue_init_params(entries, &ring, &params);
    if (result != -ENOMEM || entries <= kSmallestEntries) return result;
  }
}

// Sets up a ring whose completions do not interrupt its thread. Kernels before 6.1 refuse DEFER_TASKRUN and get
// COOP_TASKRUN. A ring with neither flag was measured to cost far more per request, so it is not used.
int set_up_quiet_ring(io_uring& ring, unsigned completion_entries) noexcept {
  const int result = set_up_ring(
      ring,
      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
      completion_entries);
  if (result != -EINVAL) return result;
  return set_up_ring(ring, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
                     completion_entries);
}

int send_wake(int ring_fd) noexcept {
  io_uring_sqe sqe{};
  sqe.opcode = IORING_OP_MSG_RING;
  sqe.fd = ring_fd;
  sqe.off = kWakeTag;  // the user data of the completion that the message posts
  const long result = ::syscall(__NR_io_uring_register, -1, uapi::kRegisterSendMsgRing, &sqe, 1);
  return result < 0 ? errno : 0;
}

void prepare(io_uring_sqe& sqe, const FileOperation& operation) noexcept {
  using enum FileOperation::Kind;
  // The kernel transfers at most kTransferBytesMax bytes (nearly 2 GiB) per operation, as it does per system call.
  const auto size = static_cast<unsigned>(std::min<std::size_t>(operation.size_bytes, kTransferBytesMax));
  switch (operation.kind) {
    case read:
      return io_uring_prep_read(&sqe, operation.fd, operation.buffer, size, operation.offset);
    case write:
      return io_uring_prep_write(&sqe, operation.fd, operation.buffer, size, operation.offset);
    case append:
      io_uring_prep_write(&sqe, operation.fd, operation.buffer, size, 0);
      sqe.rw_flags = RWF_APPEND;
      return;
    case sync:
      return io_uring_prep_fsync(&sqe, operation.fd, 0);
    case sync_data:
      return io_uring_prep_fsync(&sqe, operation.fd, IORING_FSYNC_DATASYNC);
  }
}

std::uint32_t edges_of(int result) noexcept {
  if (result < 0) return Source::kBroken;
  const auto events = static_cast<std::uint32_t>(result);
  std::uint32_t edges = 0;
  if ((events & EPOLLIN) != 0) edges |= Source::kReadable;
  if ((events & EPOLLOUT) != 0) edges |= Source::kWritable;
  if ((events & EPOLLRDHUP) != 0) edges |= Source::kReadEnd;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) edges |= Source::kBroken;
  return edges;
}

std::uint64_t tag_of(const io_uring_cqe& cqe) noexcept { return cqe.user_data & kTagMask; }

Source& source_of(const io_uring_cqe& cqe) noexcept { return *reinterpret_cast<Source*>(cqe.user_data & ~kTagMask); }

// Reports the events of a completion to its source. If the poll failed, the source gets no further events, so both its
// directions count as ended.
void report(const io_uring_cqe& cqe, base::Chain<Completion>& woken) noexcept {
  if (cqe.res == -ECANCELED) return;
  Source& source = source_of(cqe);
  if (cqe.res < 0) source.set_unwatchable();
  source.report(edges_of(cqe.res), woken);
}

FileOperation& operation_of(const io_uring_cqe& cqe) noexcept {
  return *reinterpret_cast<FileOperation*>(cqe.user_data & ~kTagMask);
}

}  // namespace

Result<void> probe_uring() noexcept {
  io_uring ring{};
  const int result = set_up_quiet_ring(ring, kCompletionEntries);
  if (result < 0) return system_error(-result);
  io_uring_prep_nop(io_uring_get_sqe(&ring));
  const int submitted = io_uring_submit_and_wait(&ring, 1);
  const bool completed = submitted == 1 && io_uring_cq_ready(&ring) == 1;
  io_uring_queue_exit(&ring);
  if (completed) return {};
  return system_error(submitted < 0 ? -submitted : EINVAL);
}

Result<std::unique_ptr<Reactor>> UringReactor::create(const RingOptions& options) {
  auto reactor = std::make_unique<UringReactor>();
  if (auto ready = reactor->set_up(options); !ready) return std::unexpected(ready.error());
  return reactor;
}

// Creates the ring, and chooses how wake() reaches it. On Linux 6.13 and later wake() uses SEND_MSG_RING, which needs
// neither a descriptor nor an armed poll; on older kernels, an eventfd. Either is ready before the first wait(), so no
// wake is lost.
Result<void> UringReactor::set_up(const RingOptions& options) {
  const bool size_is_forced = options.completion_entries != 0;
  int result = set_up_quiet_ring(ring_, size_is_forced ? options.completion_entries : kCompletionEntries);
  if (result < 0) return system_error(-result);
  ring_exists_ = true;
  const bool old_kernel = options.wake_by_eventfd || send_wake(ring_.ring_fd) != 0;
  if (old_kernel && !size_is_forced) {
    io_uring_queue_exit(&ring_);
    result = set_up_quiet_ring(ring_, kCompletionEntriesOfOldKernels);
    ring_exists_ = result >= 0;
    if (!ring_exists_) return system_error(-result);
  }
  io_uring_register_ring_fd(&ring_);  // makes enters cheaper; a refusal only leaves them more expensive
  if ((ring_.features & uapi::kFeatureNoIoWait) != 0) wait_flags_ = uapi::kEnterNoIoWait;
  return old_kernel ? wake_by_eventfd() : Result<void>();
}

Result<void> UringReactor::wake_by_eventfd() {
  wake_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) return system_error(errno);
  submit_wake_poll();
  const int submitted = io_uring_submit(&ring_);
  if (submitted < 0) return system_error(-submitted);
  if (submitted == 0) return system_error(EAGAIN);
  return {};
}

UringReactor::~UringReactor() {
  if (ring_exists_) io_uring_queue_exit(&ring_);
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

io_uring_sqe* UringReactor::next_sqe() noexcept {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  while (sqe == nullptr) {  // the queue is full: the kernel takes all its entries in one enter
    counters_.enters.add();
    io_uring_submit(&ring_);
    sqe = io_uring_get_sqe(&ring_);
  }
  return sqe;
}

void UringReactor::arm(Source& source) noexcept {
  const QueueInUse in_use(*this);
  source.add_reference();
  armed_.fetch_add(1, base::release);  // U2
  submit_poll(source);
}

void UringReactor::submit_poll(Source& source) noexcept {
  io_uring_sqe* sqe = next_sqe();
  io_uring_prep_poll_multishot(sqe, source.fd(), kWatchedEvents);
  io_uring_sqe_set_data64(sqe, reinterpret_cast<std::uint64_t>(&source) | kSourceTag);
}

// The eventfd is never read, so it stays readable after the first wake(). A new poll of it therefore fires at once, and
// no wake is lost between the end of one poll and the start of the next.
void UringReactor::submit_wake_poll() noexcept {
  io_uring_sqe* sqe = next_sqe();
  io_uring_prep_poll_multishot(sqe, wake_fd_, POLLIN);
  io_uring_sqe_set_data64(sqe, kWakeTag);
}

void UringReactor::unwatch(Source& source) noexcept {
  // Uses ASYNC_CANCEL, because POLL_REMOVE fails (EALREADY) and leaves the poll armed if the poll is just about to
  // report an edge. The flag ALL is needed if the source left this reactor and came back while its first poll was in
  // the list of polls to arm again: this reactor then has two polls of the source.
  const QueueInUse in_use(*this);
  io_uring_sqe* sqe = next_sqe();
  io_uring_prep_cancel64(sqe, reinterpret_cast<std::uint64_t>(&source) | kSourceTag, IORING_ASYNC_CANCEL_ALL);
  io_uring_sqe_set_data64(sqe, kIgnoreTag);
  sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
}

// Submits the operation at once, not with the other entries of the tick. The next task may take long, and the disk can
// work during that task.
bool UringReactor::start(FileOperation& operation) noexcept {
  const QueueInUse in_use(*this);
  io_uring_sqe* sqe = next_sqe();
  prepare(*sqe, operation);
  io_uring_sqe_set_data64(sqe, reinterpret_cast<std::uint64_t>(&operation) | kFileTag);
  operations_.fetch_add(1, base::release);  // U2
  counters_.enters.add();
  io_uring_submit(&ring_);  // on an error the entry stays queued, and the next poll submits it again
  return true;
}

void UringReactor::finish(FileOperation& operation, int result, base::Chain<Completion>& woken) noexcept {
  operation.result = result;
  woken.push_back(operation.waiter);
}

unsigned UringReactor::kernel_flags() const noexcept {
  return __atomic_load_n(ring_.sq.kflags, __ATOMIC_ACQUIRE);  // U1
}

// Does not use io_uring_cq_ready: that function reads the head without an atomic load, but here both the owner and
// rescuers change the head.
bool UringReactor::anything_completed() const noexcept {
  return __atomic_load_n(ring_.cq.khead, __ATOMIC_RELAXED) !=  // relaxed: a hint, collecting is under the lock
         __atomic_load_n(ring_.cq.ktail, __ATOMIC_ACQUIRE);    // U1
}

bool UringReactor::pending() const noexcept {
  return io_uring_sq_ready(&ring_) != 0 || anything_completed() || polls_to_arm() ||
         rescuer_ended_polls_.load(base::relaxed) ||  // relaxed: a hint
         (kernel_flags() & kHiddenWork) != 0;
}

void UringReactor::poll(base::Chain<Completion>& woken) noexcept {
  const QueueInUse in_use(*this);
  for (int round = 0; round < kRoundsPerPoll; ++round) {
    const unsigned flags = kernel_flags();
    if ((flags & IORING_SQ_CQ_OVERFLOW) != 0) counters_.overflows.add();
    const bool kernel_has_work = (flags & kHiddenWork) != 0;
    if (kernel_has_work || io_uring_sq_ready(&ring_) != 0) {
      counters_.enters.add();
      io_uring_submit_and_get_events(&ring_);  // after an error (EINTR, EBUSY) the next round submits the rest
    }
    const unsigned collected = collect(woken);
    if (!arm_ended_polls() && collected < kEventsOfFullEnter) return;
  }
}

void UringReactor::wait(std::int64_t until_ns, base::Chain<Completion>& woken) noexcept {
  const QueueInUse in_use(*this);
  bool wake_came = false;
  bool polls_ended = polls_to_arm();
  {
    const std::scoped_lock lock(collecting_);
    wake_came = std::exchange(wake_taken_, false);
    polls_ended = polls_ended || !ended_polls_.empty();
  }
  if (wake_came || polls_ended) poll(woken);
  if (wake_came || !woken.empty()) return;
  bool entries_left = io_uring_sq_ready(&ring_) != 0;
  if (entries_left) {
    counters_.enters.add();
    io_uring_submit(&ring_);
    // If entries are left, the kernel has refused them (EAGAIN: no memory). Their polls are not armed and cannot end
    // the sleep, so the sleep is short, and the next poll() submits them again.
    entries_left = io_uring_sq_ready(&ring_) != 0;
    if (entries_left) until_ns = std::min(until_ns, monotonic_now_ns() + kSubmitAgainNs);
  }
  if (polls_ended && !entries_left) return;  // perhaps some are still to be armed
  io_uring_getevents_arg argument{};
  __kernel_timespec timeout{};
  unsigned flags = IORING_ENTER_GETEVENTS | wait_flags_;
  void* extra = nullptr;
  std::size_t extra_bytes = 0;
  if (until_ns != kForever) {
    const std::int64_t left = std::max<std::int64_t>(0, until_ns - monotonic_now_ns());
    timeout = {.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    argument.ts = reinterpret_cast<std::uint64_t>(&timeout);
    flags |= IORING_ENTER_EXT_ARG;
    extra = &argument;
    extra_bytes = sizeof argument;
  }
  counters_.enters.add();
  // The result is ignored, because ETIME and EINTR are ordinary ends of a wait.
  ::syscall(__NR_io_uring_enter, ring_.ring_fd, 0, 1, flags, extra, extra_bytes);
  if (collect(woken) >= kEventsOfFullEnter || polls_to_arm()) poll(woken);
}

unsigned UringReactor::collect(base::Chain<Completion>& woken) noexcept {
  const std::scoped_lock lock(collecting_);
  unsigned head = 0;
  unsigned seen = 0;
  io_uring_cqe* cqe = nullptr;
  EndedPoll ended{};
  io_uring_for_each_cqe(&ring_, head, cqe) {
    ++seen;
    if (tag_of(*cqe) == kFileTag) finish(operation_of(*cqe), cqe->res, woken);
    if (tag_of(*cqe) == kSourceTag) report(*cqe, woken);
    if (ends_poll(*cqe, ended) && (ended.is_unwatched || !keep(ended))) arm_again(ended);
  }
  io_uring_cq_advance(&ring_, seen);
  if (!polls_to_arm() && !ended_polls_.empty()) {
    to_arm_.clear();
    next_to_arm_ = 0;
    to_arm_.swap(ended_polls_);
    rescuer_ended_polls_.store(false, base::relaxed);  // relaxed: a hint
  }
  if (seen > 0) counters_.events.add(seen);
  return seen;
}

bool UringReactor::ends_poll(const io_uring_cqe& cqe, EndedPoll& poll) const noexcept {
  if ((cqe.flags & IORING_CQE_F_MORE) != 0) return false;
  const bool is_source = tag_of(cqe) == kSourceTag;
  poll = {.source = is_source ? &source_of(cqe) : nullptr, .is_unwatched = is_source && cqe.res == -ECANCELED};
  return is_source || (tag_of(cqe) == kWakeTag && wake_fd_ >= 0);  // a wake without an eventfd has no poll
}

bool UringReactor::keep(const EndedPoll& poll) noexcept {
  try {
    ended_polls_.push_back(poll);
    return true;
  } catch (const std::bad_alloc&) {  // decided: the owner arms the poll at once; a rescuer leaves the completion to it
    return false;
  }
}

// A source that has ended for writing needs no poll. Either both its directions have ended for good, or its poll has
// failed and a new poll would only fail again.
void UringReactor::arm_again(const EndedPoll& poll) noexcept {
  if (poll.source == nullptr) return submit_wake_poll();
  Source& source = *poll.source;
  const bool needed = !poll.is_unwatched && !source.closing() && source.reactor() == this;
  if (needed && !source.ended(Direction::write)) return submit_poll(source);
  armed_.fetch_sub(1, base::relaxed);  // relaxed: a statistic
  source.drop_reference();
}

bool UringReactor::arm_ended_polls() noexcept {
  if (!polls_to_arm() || (kernel_flags() & IORING_SQ_CQ_OVERFLOW) != 0) return false;
  // Most new polls fire at once, because most sources are writable. So the number of new polls is limited to half of
  // the completion queue; the other half is left for other events.
  for (unsigned left = ring_.cq.ring_entries / 2; left != 0 && polls_to_arm(); --left) {
    arm_again(to_arm_[next_to_arm_++]);
  }
  return true;
}

void UringReactor::wake() noexcept {
  if (wake_fd_ >= 0) {
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_fd_, &one, sizeof one));  // cannot fail: 2^64 wakes do not happen
    return;
  }
  // Retries until it succeeds. Errors such as ENOMEM are temporary, but a worker whose wake is lost may sleep forever.
  while (send_wake(ring_.ring_fd) != 0) base::spin_pause();
}

bool UringReactor::rescuable() const noexcept { return anything_completed() || needs_interrupt(); }

bool UringReactor::needs_interrupt() const noexcept {
  const bool staged = entries_staged_.load(base::relaxed);  // relaxed: a hint
  return !anything_completed() && (staged || (kernel_flags() & kHiddenWork) != 0);
}

// A task may compute or block right after a stream has moved here: the poll of the stream is still staged, and nothing
// wakes the stream's task before it is submitted.
void UringReactor::flush_from_signal() noexcept {
  const int saved_errno = errno;
  submit_unless_in_use();
  for (int round = 0; round < kRoundsPerPoll; ++round) {
    const unsigned flags = kernel_flags();
    // The kernel can move overflowed completions to the queue only if the queue has room, so entering helps only if the
    // queue is empty.
    const bool helps =
        (flags & IORING_SQ_TASKRUN) != 0 || ((flags & IORING_SQ_CQ_OVERFLOW) != 0 && !anything_completed());
    if (!helps) break;
    ::syscall(__NR_io_uring_enter, ring_.ring_fd, 0, 0, IORING_ENTER_GETEVENTS, nullptr, 0);
  }
  errno = saved_errno;
}

void UringReactor::rescue_locked(base::Chain<Completion>& woken) noexcept {
  unsigned head = 0;
  unsigned seen = 0;
  io_uring_cqe* cqe = nullptr;
  EndedPoll ended{};
  io_uring_for_each_cqe(&ring_, head, cqe) {
    static_cast<void>(armed_.load(base::acquire));       // U2
    static_cast<void>(operations_.load(base::acquire));  // U2
    if (ends_poll(*cqe, ended)) {                        // only the owner's thread may arm the next poll
      if (!keep(ended)) break;
      rescuer_ended_polls_.store(true, base::relaxed);  // relaxed: a hint
    }
    ++seen;
    if (tag_of(*cqe) == kFileTag) finish(operation_of(*cqe), cqe->res, woken);
    if (tag_of(*cqe) == kSourceTag) report(*cqe, woken);
    wake_taken_ = wake_taken_ || tag_of(*cqe) == kWakeTag;
  }
  io_uring_cq_advance(&ring_, seen);
}

}  // namespace volt::io
