// SPDX-License-Identifier: MIT

#include "loadtest/peers/volt/heavy.h"

#include <fcntl.h>
#include <http/http.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using volt::http::Query;
using volt::http::Response;
using volt::http::State;

struct Work {
  int us;
};

struct Steps {
  int count;
};

Response done() { return Response::fixed("done", "text/plain"); }

Response work(Query<Work> query) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(query->us);
  while (std::chrono::steady_clock::now() < until) {
  }
  return done();
}

// Computes a fixed number of steps, as many as the handlers of the other servers: a xorshift generator, whose steps
// depend on each other, so that compilers make nearly the same code of it.
std::string compute_steps(Query<Steps> query) {
  std::uint64_t bits = 1;
  for (int left = query->count; left > 0; --left) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
  }
  return std::to_string(bits);
}

// The handlers below block their thread without telling the runtime.

Response block(Query<Work> query) {
  std::this_thread::sleep_for(std::chrono::microseconds(query->us));
  return done();
}

Response block_in_mutex(Query<Work> query) {
  static std::mutex mutex;
  const std::scoped_lock held(mutex);
  std::this_thread::sleep_for(std::chrono::microseconds(query->us));
  return done();
}

// Reads the file COLD_FILE, which the kernel has been asked to forget.
Response read_cold_file() {
  const int file = ::open(std::getenv("COLD_FILE"), O_RDONLY | O_CLOEXEC);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  std::vector<char> bytes(1 << 20);
  while (::read(file, bytes.data(), bytes.size()) > 0) {
  }
  ::close(file);
  return done();
}

// Connections of libpq without a query in progress. There are as many in total as there were queries at a time.
class IdleConnections {
 public:
  using Shareable = void;  // any thread may take and return connections
  using Connection = std::unique_ptr<PGconn, decltype([](PGconn* connection) { PQfinish(connection); })>;

  [[nodiscard]] Connection take() {
    {
      const std::scoped_lock held(mutex_);
      if (!connections_.empty()) {
        Connection connection = std::move(connections_.back());
        connections_.pop_back();
        return connection;
      }
    }
    return Connection(PQconnectdb(std::getenv("LIBPQ_URL")));
  }

  void give_back(Connection connection) {
    const std::scoped_lock held(mutex_);
    connections_.push_back(std::move(connection));
  }

 private:
  std::mutex mutex_;
  std::vector<Connection> connections_;
};

// Waits for a synchronous query, on a connection of its own.
Response sleep_in_database(Query<Work> query, State<IdleConnections> idle) {
  using Result = std::unique_ptr<PGresult, decltype([](PGresult* result) { PQclear(result); })>;
  IdleConnections::Connection connection = idle->take();
  const std::string text = "select pg_sleep(" + std::to_string(query->us) + " / 1e6)";
  const Result result(PQexec(connection.get(), text.c_str()));
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
  idle->give_back(std::move(connection));
  return done();
}

}  // namespace

void add_heavy(volt::http::App& app) {
  app.get("/healthz", done);
  app.get("/work", work);
  app.get("/steps", compute_steps);
  app.get("/block", block);
  app.get("/mutex", block_in_mutex);
  if (std::getenv("COLD_FILE") != nullptr) app.get("/cold", read_cold_file);
  if (std::getenv("LIBPQ_URL") == nullptr) return;
  app.state<IdleConnections>();
  app.get("/pg_sleep", sleep_in_database);
}
