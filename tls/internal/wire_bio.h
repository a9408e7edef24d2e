// A wire as libssl sees it: a BIO that passes its calls on.
#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

#include "tls/internal/handles.h"
#include "tls/internal/wire.h"

namespace volt::tls::internal {

// What the BIO and its session tell each other.
//
// A flight of the handshake is several writes of libssl's, and the tickets of TLS 1.3 are one each: they gather here, so
// that the wire, and the peer, see one.
struct WirePort {
  Wire* wire = nullptr;     // of the call under way
  std::error_code failure;  // of the wire, other than operation_would_block
  bool ended = false;       // the wire has no more to read
  bool began = false;       // the first byte has come,
  bool plain = false;       // and it is a letter: no TLS record begins so (RFC 8446 section 5.1), any HTTP method does
  bool gathers = false;     // what is written is to wait,
  std::vector<std::byte> gathered;  // here; it goes before, or with, the next bytes that do not
  std::string server_name;          // the host that the client names

  // Passes on what has gathered. False: the wire takes no more now, or has failed.
  [[nodiscard]] bool flush() noexcept;
  void drop_gathered() noexcept { std::vector<std::byte>().swap(gathered); }  // and its memory
};

[[nodiscard]] WirePort& port_of(const SSL* ssl) noexcept;

// `port` outlives the BIO. Once the port is plain, nothing more is read or written: what follows is to be plain too.
[[nodiscard]] BioHandle make_wire_bio(WirePort& port);

}  // namespace volt::tls::internal
