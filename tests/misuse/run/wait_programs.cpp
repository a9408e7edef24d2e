// SPDX-License-Identifier: MIT

// Programs in which two tasks wait for one thing, or which destroy it while a task waits.
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/barrier.h"
#include "runtime/broadcast.h"
#include "runtime/channel.h"
#include "runtime/concurrent.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/oneshot.h"
#include "runtime/rw_lock.h"
#include "runtime/select.h"
#include "runtime/semaphore.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "runtime/watch.h"

#include "tests/misuse/run/programs.h"

namespace volt::misuse {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    near = std::make_shared<TcpStream>(ends[0]);
    far = std::make_shared<TcpStream>(ends[1]);
  }
  std::shared_ptr<TcpStream> near, far;
};

Task<> read_one(std::shared_ptr<TcpStream> stream) {
  std::byte byte{};
  static_cast<void>(co_await stream->read({&byte, 1}));
}
Task<> write_much(std::shared_ptr<TcpStream> stream) {
  const std::vector<std::byte> much(8 << 20);
  static_cast<void>(co_await stream->write_all(much));
}

void two_readers() {
  in_task([]() -> Task<> {
    const Pair pair;
    spawn(read_one, pair.near).detach();
    spawn(read_one, pair.near).detach();
    co_await sleep_for(10s);
  });
}
void two_writers() {
  in_task([]() -> Task<> {
    const Pair pair;
    spawn(write_much, pair.near).detach();
    spawn(write_much, pair.near).detach();
    co_await sleep_for(10s);
  });
}

Task<> accept_one(std::shared_ptr<TcpListener> listener) { static_cast<void>(co_await listener->accept()); }
void two_acceptors() {
  in_task([]() -> Task<> {
    auto listener = std::make_shared<TcpListener>(TcpListener::bind(*Address::parse("127.0.0.1:0")).value());
    spawn(accept_one, listener).detach();
    spawn(accept_one, listener).detach();
    co_await sleep_for(10s);
  });
}

Task<> receive_one(std::shared_ptr<OneshotReceiver<int>> receiver) { static_cast<void>(co_await receiver->receive()); }
void two_oneshot_receivers() {
  in_task([]() -> Task<> {
    auto [sender, receiver] = oneshot<int>();
    auto shared = std::make_shared<OneshotReceiver<int>>(std::move(receiver));
    spawn(receive_one, shared).detach();
    spawn(receive_one, shared).detach();
    co_await sleep_for(10s);
  });
}
void oneshot_sent_twice() {
  auto [sender, receiver] = oneshot<int>();
  std::move(sender).send(1);
  std::move(sender).send(2);
}

// ---- destroyed while a task waits ----

// Destroys a primitive while `wait` waits in it.
template <class Primitive, class... Args>
void destroy_under(Task<> (*wait)(Primitive&), Args... args) {
  Runtime runtime(options());
  auto primitive = std::make_unique<Primitive>(args...);
  runtime.block_on([&]() -> Task<> {
    co_await race([&] { return wait(*primitive); },
                  [&]() -> Task<> {
                    co_await sleep_for(20ms);
                    primitive.reset();
                  });
  });
}

void notify_destroyed() {
  destroy_under<Notify>([](Notify& notify) -> Task<> { co_await notify.notified(); });
}
void semaphore_destroyed() {
  destroy_under<Semaphore>([](Semaphore& semaphore) -> Task<> { static_cast<void>(co_await semaphore.acquire()); }, 0);
}
void barrier_destroyed() {
  destroy_under<Barrier>([](Barrier& barrier) -> Task<> { static_cast<void>(co_await barrier.arrive()); }, 2);
}
void mutex_destroyed() {
  destroy_under<Mutex>([](Mutex& mutex) -> Task<> {
    const Mutex::Guard guard = co_await mutex.lock();
    const Mutex::Guard again = co_await mutex.lock();
  });
}
void held_mutex_destroyed() {
  destroy_under<Mutex>([](Mutex& mutex) -> Task<> {
    const Mutex::Guard guard = co_await mutex.lock();
    co_await sleep_for(10s);
  });
}
void rw_lock_destroyed() {
  destroy_under<RwLock>([](RwLock& lock) -> Task<> {
    const RwLock::ReadGuard reads = co_await lock.read();
    const RwLock::WriteGuard writes = co_await lock.write();
  });
}
void oneshot_receiver_destroyed() {
  in_task([]() -> Task<> {
    auto [sender, receiver] = oneshot<int>();
    auto shared = std::make_unique<OneshotReceiver<int>>(std::move(receiver));
    co_await race([&]() -> Task<> { static_cast<void>(co_await shared->receive()); },
                  [&]() -> Task<> {
                    co_await sleep_for(20ms);
                    shared.reset();
                  });
  });
}
void channel_receiver_destroyed() {
  in_task(
      []() -> Task<> {
        auto [sender, receiver] = channel<int>(1);
        std::optional<Sender<int>> sends(std::move(sender));
        std::optional<Receiver<int>> receives(std::move(receiver));
        co_await race([&]() -> Task<> { static_cast<void>(co_await receives->receive()); },
                      [&]() -> Task<> {
                        co_await sleep_for(20ms);
                        static_cast<void>(sends->try_send(1));
                        sends.reset();
                        receives.reset();
                      });
      },
      1);
}
void stream_destroyed() {
  in_task([]() -> Task<> {
    Pair pair;
    TcpStream* const stream = pair.near.get();
    std::byte byte{};
    co_await race([&]() -> Task<> { static_cast<void>(co_await stream->read({&byte, 1})); },
                  [&]() -> Task<> {
                    co_await sleep_for(20ms);
                    pair.near.reset();
                  });
  });
}
void listener_destroyed() {
  in_task([]() -> Task<> {
    auto listener = std::make_unique<TcpListener>(TcpListener::bind(*Address::parse("127.0.0.1:0")).value());
    TcpListener* const waiting = listener.get();
    co_await race([&]() -> Task<> { static_cast<void>(co_await waiting->accept()); },
                  [&]() -> Task<> {
                    co_await sleep_for(20ms);
                    listener.reset();
                  });
  });
}
void subscriber_destroyed() {
  in_task([]() -> Task<> {
    const Broadcaster<int> events(4);
    auto subscriber = std::make_unique<Subscriber<int>>(events.subscribe());
    co_await race([&]() -> Task<> { static_cast<void>(co_await subscriber->receive()); },
                  [&]() -> Task<> {
                    co_await sleep_for(20ms);
                    subscriber.reset();
                  });
  });
}
void subscriber_of_two_tasks() {
  in_task([]() -> Task<> {
    const Broadcaster<int> events(4);
    Subscriber<int> subscriber = events.subscribe();
    co_await race([&]() -> Task<> { static_cast<void>(co_await subscriber.receive()); },
                  [&]() -> Task<> {
                    co_await sleep_for(20ms);
                    static_cast<void>(co_await subscriber.receive());
                  });
  });
}
void watch_receiver_destroyed() {
  in_task([]() -> Task<> {
    auto [sender, receiver] = watch<int>(1);
    auto shared = std::make_unique<WatchReceiver<int>>(std::move(receiver));
    co_await race([&]() -> Task<> { static_cast<void>(co_await shared->changed()); },
                  [&]() -> Task<> {
                    co_await sleep_for(20ms);
                    shared.reset();
                  });
  });
}
void sender_moved_from() {
  in_task([]() -> Task<> {
    auto [sender, receiver] = channel<int>(1);
    const Sender<int> other = std::move(sender);
    static_cast<void>(co_await sender.send(1));
  });
}
void selected_twice() {
  in_task([]() -> Task<> {
    auto [sender, receiver] = channel<int>(1);
    auto next = receiver.receive();
    auto limit = sleep_for(1ms);
    static_cast<void>(co_await select(next, limit));
    auto another = sleep_for(1ms);
    static_cast<void>(co_await select(next, another));
  });
}
void awaited_after_select() {
  in_task([]() -> Task<> {
    auto [sender, receiver] = channel<int>(1);
    auto next = receiver.receive();
    auto limit = sleep_for(1ms);
    static_cast<void>(co_await select(next, limit));
    static_cast<void>(co_await next);
  });
}
void channel_without_room() { static_cast<void>(channel<int>(0)); }
void barrier_for_nothing() { const Barrier barrier(0); }
void broadcast_without_room() { const Broadcaster<int> events(0); }

constexpr Program kPrograms[] = {
    {"two_readers", two_readers},
    {"two_writers", two_writers},
    {"two_acceptors", two_acceptors},
    {"two_oneshot_receivers", two_oneshot_receivers},
    {"oneshot_sent_twice", oneshot_sent_twice},
    {"notify_destroyed", notify_destroyed},
    {"semaphore_destroyed", semaphore_destroyed},
    {"barrier_destroyed", barrier_destroyed},
    {"mutex_destroyed", mutex_destroyed},
    {"held_mutex_destroyed", held_mutex_destroyed},
    {"rw_lock_destroyed", rw_lock_destroyed},
    {"oneshot_receiver_destroyed", oneshot_receiver_destroyed},
    {"channel_receiver_destroyed", channel_receiver_destroyed},
    {"stream_destroyed", stream_destroyed},
    {"listener_destroyed", listener_destroyed},
    {"subscriber_destroyed", subscriber_destroyed},
    {"subscriber_of_two_tasks", subscriber_of_two_tasks},
    {"watch_receiver_destroyed", watch_receiver_destroyed},
    {"sender_moved_from", sender_moved_from},
    {"selected_twice", selected_twice},
    {"awaited_after_select", awaited_after_select},
    {"channel_without_room", channel_without_room},
    {"barrier_for_nothing", barrier_for_nothing},
    {"broadcast_without_room", broadcast_without_room},
};

}  // namespace

std::span<const Program> wait_programs() noexcept { return kPrograms; }

}  // namespace volt::misuse
