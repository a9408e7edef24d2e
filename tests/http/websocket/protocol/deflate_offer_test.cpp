// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/deflate_offer.h"

#include <doctest/doctest.h>

namespace volt::http::websocket {
namespace {

std::optional<DeflateAgreement> accept(std::string_view field, bool keep_context = true) {
  std::vector<Extension> offers;
  REQUIRE(append_extensions(field, offers));
  return accept_deflate(offers, keep_context);
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/protocol/deflate_offer");

TEST_CASE("the first offer that is valid and supported is accepted, RFC 7692 sections 5.1 and 7.1") {
  using Want = std::optional<DeflateAgreement>;
  const Want declined;
  const Want plain = DeflateAgreement{{}, "permessage-deflate"};
  const struct {
    std::string why;
    std::string field;
    Want want;
  } cases[] = {
      {"none", "", declined},
      {"another extension", "x-webkit-deflate-frame", declined},
      {"no parameters", "permessage-deflate", plain},
      {"after another extension", "foo; bar=1, permessage-deflate", plain},
      {"the names are case-sensitive", "Permessage-Deflate", declined},

      {"7.1.1.1: the server keeps no context", "permessage-deflate; server_no_context_takeover",
       DeflateAgreement{{.server_no_context_takeover = true}, "permessage-deflate; server_no_context_takeover"}},
      {"7.1.1.2: the client keeps no context", "permessage-deflate; client_no_context_takeover",
       DeflateAgreement{{.client_no_context_takeover = true}, "permessage-deflate; client_no_context_takeover"}},
      {"7.1.1.1: with a value", "permessage-deflate; server_no_context_takeover=1", declined},
      {"7.1.1.2: with a value", "permessage-deflate; client_no_context_takeover=true", declined},

      {"7.1.2.1: the server's window", "permessage-deflate; server_max_window_bits=10",
       DeflateAgreement{{.server_max_window_bits = 10}, "permessage-deflate; server_max_window_bits=10"}},
      {"7.1.2.1: quoted", "permessage-deflate; server_max_window_bits=\"10\"",
       DeflateAgreement{{.server_max_window_bits = 10}, "permessage-deflate; server_max_window_bits=10"}},
      {"7.1.2.1: the smallest supported window", "permessage-deflate; server_max_window_bits=9",
       DeflateAgreement{{.server_max_window_bits = 9}, "permessage-deflate; server_max_window_bits=9"}},
      {"7.1.2.1: the largest window is not stated", "permessage-deflate; server_max_window_bits=15", plain},
      {"7.1.2.1: a window that is not supported", "permessage-deflate; server_max_window_bits=8", declined},
      {"7.1.2.1: bits below the minimum", "permessage-deflate; server_max_window_bits=7", declined},
      {"7.1.2.1: bits above the maximum", "permessage-deflate; server_max_window_bits=16", declined},
      {"7.1.2.1: leading zero", "permessage-deflate; server_max_window_bits=09", declined},
      {"7.1.2.1: not a number", "permessage-deflate; server_max_window_bits=1x", declined},
      {"7.1.2.1: three digits", "permessage-deflate; server_max_window_bits=100", declined},
      {"7.1.2.1: no value", "permessage-deflate; server_max_window_bits", declined},

      {"7.1.2.2: the client accepts any window", "permessage-deflate; client_max_window_bits", plain},
      {"7.1.2.2: the client's window", "permessage-deflate; client_max_window_bits=8",
       DeflateAgreement{{.client_max_window_bits = 8}, "permessage-deflate; client_max_window_bits=8"}},
      {"7.1.2.2: the largest window", "permessage-deflate; client_max_window_bits=15", plain},
      {"7.1.2.2: bits above the maximum", "permessage-deflate; client_max_window_bits=16", declined},

      {"7.1: an unknown parameter", "permessage-deflate; foo", declined},
      {"7.1: a repeated parameter", "permessage-deflate; client_max_window_bits; client_max_window_bits=10", declined},
      {"7.1: a repeated parameter, in the other order",
       "permessage-deflate; client_max_window_bits=10; client_max_window_bits", declined},
      {"7.1: a repeated flag", "permessage-deflate; server_no_context_takeover; server_no_context_takeover", declined},
      {"7.1: repeated bits", "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10", declined},

      {"5.1: the second offer if the first is declined",
       "permessage-deflate; server_max_window_bits=8, permessage-deflate; server_max_window_bits=9",
       DeflateAgreement{{.server_max_window_bits = 9}, "permessage-deflate; server_max_window_bits=9"}},
      {"5.1: the first of two offers", "permessage-deflate; client_no_context_takeover, permessage-deflate",
       DeflateAgreement{{.client_no_context_takeover = true}, "permessage-deflate; client_no_context_takeover"}},
      {"all parameters",
       "permessage-deflate; client_max_window_bits=12; server_max_window_bits=11; client_no_context_takeover; "
       "server_no_context_takeover",
       DeflateAgreement{{true, true, 11, 12},
                        "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                        "server_max_window_bits=11; client_max_window_bits=12"}},
  };
  for (const auto& [why, field, want] : cases) {
    CAPTURE(why);
    CHECK((accept(field) == want));
  }
}

TEST_CASE("an end that keeps no context declares it, whatever was offered, RFC 7692 section 7.1.1") {
  const DeflateAgreement want{{.server_no_context_takeover = true, .client_no_context_takeover = true},
                              "permessage-deflate; server_no_context_takeover; client_no_context_takeover"};
  CHECK((accept("permessage-deflate", false) == want));
  CHECK((accept("permessage-deflate; client_no_context_takeover; client_max_window_bits", false) == want));
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
