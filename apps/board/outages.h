// SPDX-License-Identifier: MIT

// Outages: what a replica does while PostgreSQL or Redis is away.
//
// A request that needs it gets 503 with Retry-After. A client may repeat any request of this service: posts have a key,
// uploads a digest, and the rest changes nothing that matters.
//
// A replica is ready if it reaches PostgreSQL. If one replica alone has lost it, the balancer uses the others. If all
// have, there is no request that one could answer, and the balancer answers with 503 by itself. Without Redis a replica
// stays ready: members cannot act, but reading needs only PostgreSQL. /healthz depends on neither, so
// no supervisor restarts replicas because a database is away, which would only add to its load when it returns.
#pragma once

#include <http/http.h>
#include <pg/pg.h>

namespace board {

void add_readiness(volt::http::App& app, volt::pg::Pool db);
void answer_outages(volt::http::App& app);

}  // namespace board
