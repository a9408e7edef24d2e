// SPDX-License-Identifier: MIT

#include "runtime/io/reactor.h"

#include "runtime/io/epoll_reactor.h"
#include "runtime/io/uring_reactor.h"

namespace volt::io {

Result<std::unique_ptr<Reactor>> Reactor::create(Engine engine, const RingOptions& ring) {
  if (engine == Engine::uring) return UringReactor::create(ring);
  return EpollReactor::create();
}

}  // namespace volt::io
