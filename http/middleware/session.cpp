// SPDX-License-Identifier: MIT

#include "http/middleware/session.h"

#include <array>
#include <memory>
#include <stdexcept>

#include "crypto/base64.h"
#include "crypto/constant_time_equal.h"
#include "crypto/random.h"
#include "http/cookies/cookie_session_store.h"
#include "http/cookies/memory_session_store.h"

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
  csrf_token_.clear();
}

void Session::destroy() noexcept {
  values_.clear();
  csrf_token_.clear();
  destroyed_ = true;
  changed_ = false;
}

const std::string& Session::csrf_token() {
  if (csrf_token_.empty()) {
    std::array<std::byte, 16> token;
    crypto::fill_random(token);
    csrf_token_ = crypto::base64url_encode(token);
    changed_ = true;
  }
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

class SessionManager {
 public:
  explicit SessionManager(SessionOptions options) : options_(std::move(options)), store_(make_store(options_)) {
    static_cast<void>(make_cookie("").to_string());  // an invalid cookie throws here
  }

  Task<Response> handle(Request& request, Next next) {
    const std::string cookie(request.cookie(options_.cookie).value_or(""));
    const auto stored = load(cookie);
    Session& session = request.put(open(stored));
    Response response = co_await next(request);
    close(session, stored, cookie, response);
    co_return response;
  }

 private:
  using Time = cookies::SessionStore::Time;
  using Stored = std::optional<StoredSession>;

  static std::unique_ptr<cookies::SessionStore> make_store(const SessionOptions& options) {
    if (options.keys) {
      return std::make_unique<cookies::CookieSessionStore>(options.keys->ring(), options.cookie, options.idle_time);
    }
    return std::make_unique<cookies::MemorySessionStore>(
        cookies::MemorySessionOptions{.sessions_max = options.sessions_max,
                                      .data_bytes_max = options.data_bytes_max,
                                      .idle_time = options.idle_time,
                                      .life_time = options.life_time});
  }

  static Time now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }
  static std::int64_t seconds(Time time) { return time.time_since_epoch().count(); }

  SetCookie make_cookie(std::string_view value) const {
    SetCookie cookie(options_.cookie, value);
    cookie.secure(options_.secure).same_site(options_.same_site).max_age(options_.idle_time);
    return cookie;
  }

  Stored load(std::string_view cookie) {
    if (cookie.empty()) return std::nullopt;
    const auto data = store_->load(cookie, now());
    if (!data) return std::nullopt;
    auto stored = from_json<StoredSession>(*data);
    if (!stored || seconds(now()) >= stored->created + options_.life_time.count()) return std::nullopt;
    return *std::move(stored);
  }

  static Session open(const Stored& stored) {
    Session session;
    if (!stored) return session;
    session.values_ = stored->values;
    session.csrf_token_ = stored->csrf_token;
    return session;
  }

  void close(const Session& session, const Stored& stored, const std::string& cookie, Response& response) {
    if (session.destroyed_) store_->remove(cookie);
    const bool begins = !stored || session.destroyed_;
    const bool holds = !session.values_.empty() || !session.csrf_token_.empty();
    const bool worth_saving = session.changed_ ? !begins || holds : !begins && is_half_idle(*stored);
    if (worth_saving) {
      save(session, begins ? seconds(now()) : stored->created, begins ? "" : cookie, response);
    } else if (session.destroyed_ && !cookie.empty()) {
      send(make_cookie("").max_age(std::chrono::seconds(0)), response);
    }
  }

  bool is_half_idle(const StoredSession& stored) const {
    return seconds(now()) - stored.saved >= options_.idle_time.count() / 2;
  }

  void save(const Session& session, std::int64_t created, std::string_view cookie, Response& response) {
    const Time time = now();
    const StoredSession stored{
        .created = created, .saved = seconds(time), .csrf_token = session.csrf_token_, .values = session.values_};
    const auto renewal = session.rotated_ ? cookies::Renewal::new_cookie : cookies::Renewal::keep_cookie;
    const auto value = store_->save(cookie, to_json(stored), renewal, time);
    if (value) return send(make_cookie(*value), response);
    switch (value.error()) {
      case cookies::SaveError::gone:
        return;  // a concurrent request has ended the session: it stays ended
      case cookies::SaveError::too_long:
        throw std::length_error("the session is too large to be stored");
    }
  }

  static void send(const SetCookie& cookie, Response& response) {
    response.cookie(cookie);
    if (!response.header("cache-control")) response.header("cache-control", "private");
  }

  const SessionOptions options_;
  const std::unique_ptr<cookies::SessionStore> store_;
};

Middleware sessions(SessionOptions options) {
  Middleware middleware([manager = std::make_unique<SessionManager>(std::move(options))](Request& request, Next next) {
    return manager->handle(request, next);
  });
  return std::move(middleware.provides<Session>());
}

}  // namespace volt::http
