// A transport as libssl sees it: a BIO that passes its calls on.
#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

#include "tls/internal/byte_transport.h"
#include "tls/internal/handles.h"

namespace volt::tls::internal {

// What the BIO and its session tell each other.
//
// A flight of the handshake is several writes of libssl's, and the tickets of TLS 1.3 are one each: they gather here, so
// that the transport, and the peer, see one.
struct BioState {
  ByteTransport* transport = nullptr;  // of the call under way
  std::error_code failure;             // of the transport, other than operation_would_block
  bool ended = false;                  // the transport has no more to read
  bool began = false;                  // the first byte has come,
  bool plain = false;    // and it is a letter: no TLS record begins so (RFC 8446 section 5.1), any HTTP method does
  bool gathers = false;  // what is written is to wait,
  std::vector<std::byte> gathered;  // here; it goes before, or with, the next bytes that do not
  std::string server_name;          // the host that the client names

  // Passes on what has gathered. False: the transport takes no more now, or has failed.
  [[nodiscard]] bool flush() noexcept;
  void drop_gathered() noexcept { std::vector<std::byte>().swap(gathered); }  // and its memory
};

[[nodiscard]] BioState& bio_state_of(const SSL* ssl) noexcept;

// `bio_state` outlives the BIO. Once the bio_state is plain, nothing more is read or written: what follows is to be plain too.
[[nodiscard]] BioHandle make_transport_bio(BioState& bio_state);

}  // namespace volt::tls::internal
