// SPDX-License-Identifier: MIT

#include "apps/board/access.h"

#include <http/middleware/access.h>

namespace board {

namespace http = volt::http;

void Access::with_session(http::Group& group) const { group.use(http::sessions(options_), http::csrf()); }

void Access::members_only(http::Group& group) const {
  with_session(group);
  group.use(http::session_auth([](const http::Session& session) { return session.get<Member>(kMember); },
                               {.cookie = options_.cookie}));
}

}  // namespace board
