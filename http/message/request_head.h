// SPDX-License-Identifier: MIT

// A parsed request head, without the parts that concern the connection (RequestDecoder handles those).
//
// Lifetime: all views point into the bytes from which the head was decoded; `fields` also points into the decoder.
#pragma once

#include <string_view>

#include "http/message/headers.h"
#include "http/message/method.h"
#include "http/message/version.h"

namespace volt::http::message {

struct RequestHead {
  Method method = Method::get;
  Version version = Version::http_1_1;
  std::string_view target;  // as received
  std::string_view path;    // path of the target; "/" if an absolute target has none; "*" for the whole server
  std::string_view query;   // without the '?'
  std::string_view host;    // the target's authority, else the Host field, else empty (HTTP/1.0)
  Fields fields;
};

}  // namespace volt::http::message
