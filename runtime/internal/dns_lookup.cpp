// SPDX-License-Identifier: MIT

#include "runtime/internal/dns_lookup.h"

#include <utility>

#include "runtime/borrowed.h"
#include "runtime/notify.h"
#include "runtime/scope.h"
#include "runtime/select.h"
#include "runtime/time.h"

namespace volt::net {
namespace {

// Announces each edge of the socket, until it is cancelled. If the reactor cannot watch the socket, returns: the query
// then reads the socket when its time limit passes.
Task<> announce_edges(std::shared_ptr<Socket> socket, Direction direction, Borrowed<Notify> edge) {
  while (!socket->ended(direction)) {
    const Result<void> ready = co_await socket->ready(direction);
    if (!ready) co_return;
    edge->notify_one();
  }
}

// A socket that c-ares has closed keeps its tasks, and the duplicate of its descriptor, until the query is done. A
// query has few sockets: two for each attempt at a server.
void announce_new_sockets(Scope& scope, DnsQuery& query, Notify& edge) {
  for (DnsQuery::Watched& watched : query.sockets()) {
    if (watched.reads && !std::exchange(watched.reader_waits, true)) {
      scope.spawn(announce_edges, watched.socket, Direction::read, borrow(edge));
    }
    if (watched.writes && !std::exchange(watched.writer_waits, true)) {
      scope.spawn(announce_edges, watched.socket, Direction::write, borrow(edge));
    }
  }
}

// Reactors report changes of readiness. So each socket is used until it is no longer ready before the task waits: what
// comes later is an edge, which `edge` remembers.
Task<> drive(Scope& scope, DnsQuery& query, Notify& edge) {
  while (!query.done()) {
    announce_new_sockets(scope, query, edge);
    if (query.process_ready()) {
      co_await yield();  // a server that sends without end must not keep the worker
      continue;
    }
    const auto first = co_await select(edge.notified(), sleep_for(query.until_timeout()));
    if (first.index() == 1) query.process_timeouts();
  }
  scope.cancel();
}

}  // namespace

Task<Result<FoundAddresses>> finish(std::unique_ptr<DnsQuery> query) {
  Notify edge;
  co_await with_scope([&](Scope& scope) { return drive(scope, *query, edge); });
  co_return query->take();
}

}  // namespace volt::net
