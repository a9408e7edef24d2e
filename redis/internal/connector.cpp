// SPDX-License-Identifier: MIT

#include "redis/internal/connector.h"

#include <string.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "redis/command.h"
#include "runtime/blocking.h"
#include "runtime/concurrent.h"
#include "runtime/tcp.h"
#include "tls/error.h"

namespace volt::redis::internal {
namespace {

Target parsed_target(const PoolOptions& options) {
  std::expected<Target, std::string> target = parse_url(options.url);
  if (!target) throw std::invalid_argument(target.error());
  return *std::move(target);
}

// Throws if the server has answered a command of the login with an error. "loading" and its kind pass by themselves.
void check_login(const Reply& reply) {
  if (reply.kind != Reply::Kind::error) return;
  const ServerError error(reply.text);
  if (error.code() == "NOPERM") return;  // of PING: the user may log in, but not use this command
  const bool crowded = reply.text.find("max number of clients") != std::string::npos;
  for (const std::string_view final : {"WRONGPASS", "NOAUTH", "DENIED", "ERR"}) {
    if (error.code() == final && !crowded) throw Refused(reply.text);
  }
  throw Unavailable(reply.text);
}

}  // namespace

Connector::Connector(PoolOptions options) : options_(std::move(options)), target_(parsed_target(options_)) {}

Connector::~Connector() {
  ::explicit_bzero(options_.url.data(), options_.url.size());
  ::explicit_bzero(target_.password.data(), target_.password.size());
}

Task<std::shared_ptr<Link>> Connector::connect() {
  const auto attempt = [this] { return connect_without_limit(); };
  Result<std::shared_ptr<Link>> link = co_await within(options_.connect_timeout, attempt);
  if (!link) throw Unavailable("connecting to the server timed out");
  co_return *std::move(link);
}

Task<std::shared_ptr<Link>> Connector::connect_without_limit() {
  Result<TcpStream> stream = std::unexpected(std::error_code());
  if (target_.path.empty()) {
    stream = co_await TcpStream::connect(target_.host, target_.port);
  } else {
    const Result<Address> address = Address::parse("unix:" + target_.path);
    if (!address) throw Unavailable(target_.path + ": the path of the socket is too long");
    stream = co_await TcpStream::connect(*address);
  }
  if (!stream) throw Unavailable(target_.name() + ": " + stream.error().message());
  auto link = std::make_shared<Link>(std::move(*stream), options_.reply_bytes_max, options_.command_timeout);
  if (target_.tls) {
    const std::shared_ptr<const tls::ClientContext> context = co_await tls_context();
    const Result<void> ready = co_await link->start_tls(context->for_host(target_.host));
    if (!ready && ready.error() == tls::Error::certificate_refused) {
      throw Refused(target_.name() + ": " + ready.error().message());
    }
    if (!ready) throw Unavailable(target_.name() + ": " + ready.error().message());
  }
  co_await log_in(*link);
  co_return link;
}

Task<std::shared_ptr<const tls::ClientContext>> Connector::tls_context() {
  {
    const std::scoped_lock lock(mutex_);
    if (tls_ != nullptr) co_return tls_;
  }
  auto loaded = co_await blocking([this] { return tls::ClientContext::load(options_.tls); });
  if (!loaded) throw Unavailable(loaded.error());
  const std::scoped_lock lock(mutex_);
  tls_ = *std::move(loaded);
  co_return tls_;
}

Task<> Connector::log_in(Link& link) {
  std::string commands;
  std::size_t missing = 0;
  const auto add = [&](const Command& command) {
    format(command, commands);
    ++missing;
  };
  if (!target_.user.empty()) {
    add(Command("AUTH", target_.user, target_.password));
  } else if (!target_.password.empty()) {
    add(Command("AUTH", target_.password));
  }
  if (target_.database != 0) add(Command("SELECT", target_.database));
  add(Command("PING"));  // fails while the server loads its data, and if it wants a password
  link.send(commands);
  ::explicit_bzero(commands.data(), commands.size());
  std::vector<Reply> replies;
  const bool flushed = co_await link.flush();
  if (!flushed) throw Unavailable("the server closed the connection");
  while (replies.size() < missing) {
    const Received received = co_await link.receive(replies, options_.connect_timeout);
    for (const Reply& reply : replies) check_login(reply);
    if (received == Received::nothing) throw Unavailable(target_.name() + ": the server does not answer");
    if (received == Received::end) throw Unavailable(target_.name() + ": " + link.failure());
  }
  if (replies.size() != missing) throw Unavailable(target_.name() + ": more replies than commands");
}

}  // namespace volt::redis::internal
