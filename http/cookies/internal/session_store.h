// Where the data of sessions is kept between a client's requests. Data is text, JSON by convention. What the client has
// is a cookie's value, which a store makes and reads.
//
// Two are here. CookieSessionStore keeps the data itself in the cookie, encrypted: nothing to keep or to lose on our
// side, but at most some 3 KiB, and no way to end a session before its time. MemorySessionStore keeps it in this
// process, under a random id: sessions end when they are told to, and with the process.
//
// A cookie that a client brings is never taken over as an id (session fixation): one that load() does not know stands
// for no session, and save() refuses it. On login, save with Renewal::new_cookie: whoever had planted or seen the old
// cookie has then nothing.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::cookies {

enum class Renewal { keep_cookie, new_cookie };

enum class SaveError : std::uint8_t {
  too_long,  // the data
  gone,      // the session has ended, or has another cookie by now
};

class SessionStore {
 public:
  using Time = std::chrono::sys_seconds;

  virtual ~SessionStore() = default;

  // The data that `cookie` stands for. Nothing if it is unknown, forged or ended.
  virtual std::optional<std::string> load(std::string_view cookie, Time now) = 0;

  // Keeps `data` in place of what `cookie` stands for, or as a new session if that is empty, and returns the cookie to
  // send. In one step: a session that is removed meanwhile is not brought back.
  virtual std::expected<std::string, SaveError> save(std::string_view cookie, std::string_view data, Renewal renewal,
                                                     Time now) = 0;

  // On logout. The caller also sends a cookie that has ended.
  virtual void remove(std::string_view cookie) = 0;
};

}  // namespace volt::http::cookies
