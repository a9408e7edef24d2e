// A wire as libssl sees it: a BIO that passes its calls on.
#pragma once

#include <system_error>

#include "tls/engine/handles.h"
#include "tls/engine/wire.h"

namespace volt::tls::engine {

// What the BIO and its session tell each other.
struct WirePort {
  Wire* wire = nullptr;     // of the call under way
  std::error_code failure;  // of the wire, other than operation_would_block
  bool ended = false;       // the wire has no more to read
  bool began = false;       // the first byte has come,
  bool plain = false;       // and it is a letter: no TLS record begins so (RFC 8446 section 5.1), any HTTP method does
};

// `port` outlives the BIO. Once the port is plain, nothing more is read or written: what follows is to be plain too.
[[nodiscard]] BioHandle make_wire_bio(WirePort& port);

}  // namespace volt::tls::engine
