// The connection with one client, from accept to close, as RFC 9112 section 9 has it: requests are answered in order,
// one at a time; the answers of a pipelined burst leave together.
#pragma once

#include "http/server/internal/admission.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt::http::server {

[[nodiscard]] Task<> serve_connection(TcpStream accepted, Admission admission);

}  // namespace volt::http::server
