// The conversation with one client, from accept to close, as RFC 9112 section 9 has it: requests are answered in order,
// one at a time; the answers of a pipelined burst leave together.
#pragma once

#include <cstdint>
#include <memory>

#include "http/serve/entrance.h"
#include "http/serve/site.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt::http::serve {

// `placed_on` is where Placement counted the connection.
[[nodiscard]] Task<> serve_connection(TcpStream accepted, std::shared_ptr<Site> site,
                                      std::shared_ptr<const Entrance> entrance, std::uint32_t placed_on);

}  // namespace volt::http::serve
