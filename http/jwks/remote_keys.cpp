// SPDX-License-Identifier: MIT

#include "http/jwks/remote_keys.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "http/jwks/internal/freshness.h"
#include "runtime/concurrent.h"
#include "runtime/deadline.h"
#include "runtime/logger.h"
#include "runtime/spawn.h"
#include "runtime/wall_clock.h"
#include "runtime/watch.h"

namespace volt::http {
namespace {

constexpr Logger kJwksLog("jwks");

// A set of keys with the times of its life.
struct FetchedSet {
  auth::JwtVerifier verifier;
  Deadline refresh_from;  // fetched in the background from then on
  Deadline fresh_until;   // fetched before further use from then on
  Deadline usable_until;  // if fetches fail
};

}  // namespace

class RemoteKeys::State : public std::enable_shared_from_this<State> {
 public:
  using Set = std::shared_ptr<const FetchedSet>;

  State(std::shared_ptr<HttpClient> client, std::string uri, auth::JwtOptions token, RemoteKeysOptions options)
      : client_(std::move(client)), uri_(std::move(uri)), token_(std::move(token)), options_(options) {}

  // Returns the set to use; null if there is none.
  Task<Set> usable_set();
  // Waits for the fetch that is under way, or for a new one. Returns at once if the last one was too recent.
  Task<> refresh();
  [[nodiscard]] Set set() const {
    const std::scoped_lock lock(mutex_);
    return set_;
  }

 private:
  class Flight;

  // Starts a fetch if none is under way and the last one is long enough ago. Returns a receiver that is closed when the
  // fetch under way has ended; none if there is no such fetch.
  std::optional<WatchReceiver<bool>> start_fetch();
  static Task<> fetch(std::shared_ptr<State> state);
  Task<std::expected<Set, std::string>> fetch_set();  // the error is a sentence for the log
  Set make_set(std::vector<auth::JwtKey> keys, Fields fields) const;

  const std::shared_ptr<HttpClient> client_;
  const std::string uri_;
  const auth::JwtOptions token_;
  const RemoteKeysOptions options_;

  mutable std::mutex mutex_;
  Set set_;                                    // under mutex_
  std::optional<WatchSender<bool>> fetching_;  // under mutex_: exists while a fetch is under way, and sends nothing
  std::optional<Deadline> next_fetch_at_;      // under mutex_; none before the first fetch
};

// Ends the fetch under way, however its task ends. Wakes those that wait for it by closing their watch, because sending
// a value would allocate it.
class RemoteKeys::State::Flight {
 public:
  explicit Flight(State& state) noexcept : state_(state) {}
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;
  ~Flight() {
    std::optional<WatchSender<bool>> ended;  // outlives the lock
    const std::scoped_lock lock(state_.mutex_);
    ended.swap(state_.fetching_);
  }

 private:
  State& state_;
};

std::optional<WatchReceiver<bool>> RemoteKeys::State::start_fetch() {
  const std::scoped_lock lock(mutex_);
  if (fetching_) return fetching_->subscribe();
  if (next_fetch_at_ && !next_fetch_at_->passed()) return std::nullopt;
  auto [sender, receiver] = watch(false);
  spawn(&State::fetch, shared_from_this()).detach();
  fetching_ = std::move(sender);  // the fetch ends only after this lock has been released
  next_fetch_at_ = Deadline::after(options_.refetch_interval);
  return std::move(receiver);
}

Task<> RemoteKeys::State::refresh() {
  auto receiver = start_fetch();
  if (!receiver) co_return;
  static_cast<void>(co_await receiver->changed());
}

Task<> RemoteKeys::State::fetch(std::shared_ptr<State> state) {
  const Flight flight(*state);
  const auto call = [&state] { return state->fetch_set(); };
  const auto fetched = co_await within(state->options_.fetch_timeout, call);
  if (!fetched || !*fetched) {
    const std::string error = fetched ? fetched->error() : fetched.error().message();
    kJwksLog(LogLevel::warning, "cannot fetch the key set", {{"uri", state->uri_}, {"error", error}});
    co_return;
  }
  const std::scoped_lock lock(state->mutex_);
  state->set_ = **fetched;
}

Task<std::expected<RemoteKeys::State::Set, std::string>> RemoteKeys::State::fetch_set() {
  ClientRequest request(Method::get, uri_);
  request.header("Accept", "application/jwk-set+json, application/json");
  Result<ClientResponse> response = co_await client_->send(std::move(request));
  if (!response) co_return std::unexpected(response.error().message());
  if (response->status() != Status::ok)
    co_return std::unexpected("the response is " + std::to_string(static_cast<int>(response->status())));
  const Result<std::string> text = co_await response->text(options_.set.bytes_max);
  if (!text) co_return std::unexpected(text.error().message());
  auto keys = auth::parse_key_set(*text, options_.set);
  if (!keys) co_return std::unexpected("the response is not a key set, or has too many keys");
  if (keys->keys.empty()) co_return std::unexpected("the key set has no key that can be used");
  co_return make_set(std::move(keys->keys), response->headers());
}

RemoteKeys::State::Set RemoteKeys::State::make_set(std::vector<auth::JwtKey> keys, Fields fields) const {
  const std::chrono::seconds lifetime = std::clamp(jwks::freshness_of(fields).value_or(options_.lifetime_default),
                                                   options_.lifetime_min, options_.lifetime_max);
  return std::make_shared<const FetchedSet>(FetchedSet{
      .verifier = auth::JwtVerifier(std::move(keys), token_),
      .refresh_from = Deadline::after(lifetime - std::min(options_.refresh_ahead, lifetime / 2)),
      .fresh_until = Deadline::after(lifetime),
      .usable_until = Deadline::after(lifetime + options_.stale_max),
  });
}

Task<RemoteKeys::State::Set> RemoteKeys::State::usable_set() {
  Set current = set();
  if (current && !current->fresh_until.passed()) {
    if (current->refresh_from.passed()) static_cast<void>(start_fetch());
    co_return current;
  }
  co_await refresh();
  current = set();
  if (current && current->usable_until.passed()) current = nullptr;
  co_return current;
}

RemoteKeys::RemoteKeys(std::shared_ptr<HttpClient> client, std::string uri, auth::JwtOptions token,
                       RemoteKeysOptions options) {
  constexpr std::chrono::seconds kNone(0);
  if (!client) throw std::invalid_argument("RemoteKeys: the client is null");
  if (options.set.secrets) throw std::invalid_argument("RemoteKeys: secrets must not come from a key set of others");
  if (options.lifetime_min <= kNone || options.lifetime_max < options.lifetime_min ||
      options.refetch_interval <= kNone || options.refresh_ahead < kNone || options.stale_max < kNone ||
      options.fetch_timeout <= kNone) {
    throw std::invalid_argument("RemoteKeys: a time is not positive, or lifetime_max is less than lifetime_min");
  }
  state_ = std::make_shared<State>(std::move(client), std::move(uri), std::move(token), options);
}

Task<std::expected<JwtClaims, JwtError>> RemoteKeys::verify(std::string token) const {
  const std::shared_ptr<State> state = state_;
  const State::Set set = co_await state->usable_set();
  if (!set) co_return std::unexpected(JwtError::no_keys);
  auto claims = set->verifier.verify(token, wall_second());
  if (claims || claims.error() != JwtError::unknown_key) co_return claims;
  co_await state->refresh();
  const State::Set newer = state->set();
  if (newer == set) co_return claims;
  co_return newer->verifier.verify(token, wall_second());
}

namespace {

class CheckRemoteJwt {
 public:
  CheckRemoteJwt(RemoteKeys keys, auth::Scheme scheme) : keys_(std::move(keys)), scheme_(std::move(scheme)) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::optional<std::string_view> token = auth::bearer_token(request);
    if (!token) co_return scheme_.ask(request);
    std::string text(*token);
    auto claims = co_await keys_.verify(std::move(text));
    if (!claims) co_return scheme_.refuse(request, claims.error());
    request.put(*std::move(claims));
    co_return co_await next(request);
  }

 private:
  RemoteKeys keys_;
  auth::Scheme scheme_;
};

}  // namespace

Middleware jwt_auth(RemoteKeys keys, const AuthOptions& options) {
  Middleware guard(CheckRemoteJwt(std::move(keys), auth::Scheme::bearer(options)));
  guard.requires_credentials(Credentials::jwt);
  return provide<JwtClaims>(std::move(guard));
}

}  // namespace volt::http
