// The request as the upstream gets it.
#pragma once

#include <http/client/client.h>
#include <http/web/request.h>

#include <string>
#include <string_view>

#include "apps/proxy/options.h"

namespace proxy {

inline constexpr std::string_view kVia = "1.1 volt-proxy";  // RFC 9110 section 7.6.3

// How far the client's body has been passed on; part of the request, which outlives whoever reads its body.
struct BodyProgress {
  bool begun = false;
};

// Without what is the connection's, with what says whom it came from. Its body is the client's, as it comes.
[[nodiscard]] volt::http::ClientRequest make_upstream_request(volt::http::Request& request, const std::string& upstream,
                                                              const Options& options);

// The protocol that the client asks to go on with, if it may; empty: none.
[[nodiscard]] std::string_view upgrade_of(const volt::http::Request& request, const Options& options);

}  // namespace proxy
