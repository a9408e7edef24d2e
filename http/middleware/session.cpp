// SPDX-License-Identifier: MIT

#include "http/middleware/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "crypto/base64.h"
#include "crypto/constant_time_equal.h"
#include "crypto/random.h"
#include "http/cookies/cookie_session_store.h"
#include "http/cookies/memory_session_store.h"
#include "http/cookies/session_store.h"
#include "http/message/ascii.h"
#include "http/message/cache_control.h"
#include "http/transport/handed_over_state.h"
#include "http/web/http_log.h"
#include "http/web/problem.h"
#include "runtime/wall_clock.h"

namespace volt::http {

bool Session::erase(std::string_view name) {
  const auto found = values_.find(name);
  if (found == values_.end()) return false;
  values_.erase(found);
  changed_ = true;
  return true;
}

void Session::rotate() noexcept {
  rotated_ = changed_ = true;
  forget_csrf_token();
}

void Session::destroy() noexcept {
  values_.clear();
  forget_csrf_token();
  destroyed_ = true;
  changed_ = false;
}

void Session::forget_csrf_token() noexcept {
  csrf_token_.clear();
  token_requested_ = token_generated_ = false;
}

const std::string& Session::csrf_token() {
  if (csrf_token_.empty()) {
    std::array<std::byte, 16> token;
    crypto::fill_random(token);
    csrf_token_ = crypto::base64url_encode(token);
    token_generated_ = true;
  }
  token_requested_ = true;
  return csrf_token_;
}

bool Session::is_csrf_token(std::string_view token) const noexcept {
  return !csrf_token_.empty() && crypto::constant_time_equal(csrf_token_, token);
}

// The stored form of a session, as JSON.
struct StoredSession {
  std::int64_t created;  // seconds since 1970
  std::int64_t saved;
  std::string csrf_token;
  std::map<std::string, std::string, std::less<>> values;
};

namespace {

// Otherwise the cookie and the stored session would end at different times.
void check_idle_times(std::chrono::seconds of_cookie, std::chrono::seconds of_store) {
  if (of_cookie == of_store) return;
  throw std::invalid_argument("SessionOptions::idle_time is " + std::to_string(of_cookie.count()) +
                              " s, but the store ends sessions after " + std::to_string(of_store.count()) +
                              " s (StoreOptions::idle_time): set both to one value");
}

// Longer times count as this one, so that no sum with the time of day overflows.
constexpr std::chrono::seconds kLongest = std::chrono::years(100);

SessionOptions bounded(SessionOptions options) {
  options.idle_time = std::min(options.idle_time, kLongest);
  options.life_time = std::min(options.life_time, kLongest);
  return options;
}

// Returns `private` and those directives that do not concern shared caches.
std::string private_form(std::string_view directives) {
  std::string text = "private";
  while (!directives.empty()) {
    const std::string_view directive = message::take_list_element(directives);
    const std::string_view name = directive.substr(0, directive.find('='));
    const bool is_for_shared = message::equal_ignoring_case(name, "public") ||
                               message::equal_ignoring_case(name, "s-maxage") ||
                               message::equal_ignoring_case(name, "proxy-revalidate");
    if (!directive.empty() && !is_for_shared) text.append(", ").append(directive);
  }
  return text;
}

std::string random_secret() {
  std::array<std::byte, 32> secret;
  crypto::fill_random(secret);
  return crypto::base64url_encode(secret);
}

}  // namespace

class SessionManager final : public HandedOverState {
 public:
  explicit SessionManager(SessionOptions options)
      : options_(bounded(std::move(options))),
        csrf_cookie_(options_.cookie + "-csrf"),
        csrf_secret_(random_secret()),
        csrf_keys_(options_.keys ? *options_.keys : CookieKeys({csrf_secret_})) {
    static_cast<void>(make_cookie(options_.cookie, "").to_string());  // an invalid cookie throws here
    if (options_.store != nullptr) {
      if (!options_.keys) throw std::invalid_argument("sessions in a store need SessionOptions::keys");
      check_idle_times(options_.idle_time, std::min(options_.store->idle_time(), kLongest));
      return;
    }
    if (options_.keys) {
      store_ =
          std::make_unique<cookies::CookieSessionStore>(options_.keys->ring(), options_.cookie, options_.idle_time);
      return;
    }
    auto store = std::make_unique<cookies::MemorySessionStore>(
        cookies::MemorySessionOptions{.sessions_max = options_.sessions_max,
                                      .data_bytes_max = options_.data_bytes_max,
                                      .idle_time = options_.idle_time,
                                      .life_time = options_.life_time});
    in_memory_ = store.get();
    store_ = std::move(store);
  }

  [[nodiscard]] bool is_in_memory() const noexcept { return in_memory_ != nullptr; }

  [[nodiscard]] std::string name() const override { return options_.cookie; }
  [[nodiscard]] int begin_handover() override { return in_memory_->begin_handover(csrf_secret_); }
  void end_handover() override { in_memory_->end_handover(); }
  [[nodiscard]] bool inherit(FileDescriptor file) override {
    std::string secret = in_memory_->inherit(file.release());
    if (secret.empty()) return false;
    csrf_secret_ = std::move(secret);
    csrf_keys_ = CookieKeys({csrf_secret_});
    return true;
  }

  Task<Response> handle(Request& request, Next next) {
    if (request.find<Session>() != nullptr) {
      throw std::logic_error(
          "two sessions() handle this request, and their values would mix: give one of them to a "
          "group that the other does not contain");
    }
    const Cookies cookies{.session = std::string(request.cookie(options_.cookie).value_or("")),
                          .csrf = std::string(request.cookie(csrf_cookie_).value_or(""))};
    std::optional<std::string> data;
    if (!cookies.session.empty()) {
      if (store_ != nullptr) {
        data = store_->load(cookies.session, now());
      } else {
        data = co_await options_.store->load(cookies.session);
      }
    }
    const Stored stored = parse(data);
    Session& session = request.put(open(stored, cookies.csrf));
    Response response = co_await next(request);
    if (session.destroyed_ && store_ != nullptr) store_->remove(cookies.session);
    if (session.destroyed_ && store_ == nullptr) co_await options_.store->remove(cookies.session);
    const bool saves = is_worth_saving(session, stored);
    if (saves) {
      const Change change = change_of(session, stored, cookies);
      Saved saved;
      if (store_ != nullptr) {
        saved = store_->save(change.cookie, change.data, change.renewal, now());
      } else {
        saved = co_await options_.store->save(change.cookie, change.data, change.renewal);
      }
      send_saved(saved, response);
    }
    send_cookies(session, stored, cookies, saves, response);
    co_return response;
  }

 private:
  using Time = cookies::SessionStore::Time;
  using Stored = std::optional<StoredSession>;

  using Saved = std::expected<std::string, cookies::SaveError>;

  struct Cookies {
    std::string session;
    std::string csrf;
  };

  // The arguments of the stores' save().
  struct Change {
    std::string cookie;  // empty: of a new session
    std::string data;
    cookies::Renewal renewal;
  };

  static Time now() { return wall_second(); }
  static std::int64_t seconds(Time time) { return time.time_since_epoch().count(); }

  SetCookie make_cookie(const std::string& name, std::string_view value) const {
    SetCookie cookie(name, value);
    cookie.secure(options_.secure).same_site(options_.same_site).max_age(options_.idle_time);
    return cookie;
  }

  Stored parse(const std::optional<std::string>& data) const {
    if (!data) return std::nullopt;
    auto stored = from_json<StoredSession>(*data);
    if (!stored || seconds(now()) - stored->created >= options_.life_time.count()) return std::nullopt;
    return *std::move(stored);
  }

  // A stored session accepts only the CSRF token that is stored in it. The token in the separate cookie is then
  // ignored: the client received that cookie before it logged in, so an attacker may know its token.
  Session open(const Stored& stored, std::string_view csrf_cookie) const {
    Session session;
    if (stored) {
      session.values_ = stored->values;
      session.csrf_token_ = stored->csrf_token;
    } else if (!csrf_cookie.empty()) {
      session.csrf_token_ = csrf_keys_.verify(csrf_cookie_, csrf_cookie).value_or("");
    }
    return session;
  }

  static bool begins(const Session& session, const Stored& stored) { return !stored || session.destroyed_; }

  bool is_worth_saving(const Session& session, const Stored& stored) const {
    if (begins(session, stored)) return session.changed_ && !session.values_.empty();
    return session.changed_ || session.token_generated_ || is_half_idle(*stored);
  }

  bool is_half_idle(const StoredSession& stored) const {
    return seconds(now()) - stored.saved >= options_.idle_time.count() / 2;
  }

  static Change change_of(const Session& session, const Stored& stored, const Cookies& cookies) {
    const bool fresh = begins(session, stored);
    const std::int64_t time = seconds(now());
    const StoredSession kept{.created = fresh ? time : stored->created,
                             .saved = time,
                             .csrf_token = session.csrf_token_,
                             .values = session.values_};
    return {.cookie = fresh ? std::string() : cookies.session,
            .data = to_json(kept),
            .renewal = session.rotated_ ? cookies::Renewal::new_cookie : cookies::Renewal::keep_cookie};
  }

  void send_saved(const Saved& saved, Response& response) {
    if (saved) return send(make_cookie(options_.cookie, *saved), response);
    switch (saved.error()) {
      case cookies::SaveError::gone:
        return;  // a concurrent request has ended the session: it stays ended
      case cookies::SaveError::too_long:
        throw std::length_error("the session is too large to be stored");
      case cookies::SaveError::full:
        log_full(now());
        throw unavailable("there are too many sessions");
    }
  }

  void send_cookies(const Session& session, const Stored& stored, const Cookies& cookies, bool saved,
                    Response& response) const {
    if (!saved && session.destroyed_ && !cookies.session.empty()) {
      send(make_cookie(options_.cookie, "").max_age(std::chrono::seconds(0)), response);
    }
    const bool has_session = saved || !begins(session, stored);
    if (session.token_requested_ && !has_session) {
      send(make_cookie(csrf_cookie_, csrf_keys_.sign(csrf_cookie_, session.csrf_token_, options_.idle_time)), response);
    } else if (!cookies.csrf.empty() && (has_session || session.rotated_ || session.destroyed_)) {
      send(make_cookie(csrf_cookie_, "").max_age(std::chrono::seconds(0)), response);
    }
    if (session.token_requested_) keep_private(response);
  }

  // Logs at most one line per minute, since any client can cause it.
  void log_full(Time time) {
    const std::lock_guard lock(log_mutex_);
    if (time < log_after_) return;
    log_after_ = time + std::chrono::minutes(1);
    if (store_ == nullptr) {
      kHttpLog(LogLevel::error, "the store of the sessions is full: a session was not saved",
               {{"cookie", options_.cookie}});
      return;
    }
    kHttpLog(LogLevel::error, "all sessions are in use by logged-in users: a new one was refused; raise sessions_max",
             {{"sessions_max", options_.sessions_max}});
  }

  static void send(const SetCookie& cookie, Response& response) {
    response.cookie(cookie);
    make_private(response);
  }

  // Keeps shared caches from storing a response with a cookie, which they would send to other clients. A handler may
  // permit it.
  static void make_private(Response& response) {
    if (!response.header("Cache-Control")) response.header("Cache-Control", "private");
  }
  // As make_private(), for a response with a token, for which a handler cannot permit it.
  static void keep_private(Response& response) {
    message::CacheControl control;
    const std::string directives(response.header("Cache-Control").value_or(""));
    control.add(directives);
    if (!control.is_private && !control.no_store) response.header("Cache-Control", private_form(directives));
  }

  const SessionOptions options_;
  const std::string csrf_cookie_;
  std::string csrf_secret_;                           // the secret of csrf_keys_, unless the options have keys
  CookieKeys csrf_keys_;                              // changed only before the first request
  std::unique_ptr<cookies::SessionStore> store_;      // null: the sessions are in SessionOptions::store
  cookies::MemorySessionStore* in_memory_ = nullptr;  // *store_ if the sessions are in memory, else null
  std::mutex log_mutex_;
  Time log_after_;
};

Middleware sessions(SessionOptions options) {
  const auto manager = std::make_shared<SessionManager>(std::move(options));
  Middleware middleware([manager](Request& request, Next next) { return manager->handle(request, next); });
  if (manager->is_in_memory()) middleware.hands_over(manager);
  return std::move(middleware.provides<Session>());
}

}  // namespace volt::http
