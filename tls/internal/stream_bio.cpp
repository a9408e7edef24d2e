// SPDX-License-Identifier: MIT

#include "tls/internal/stream_bio.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <system_error>

#include "runtime/base/check.h"

namespace volt::tls::internal {
namespace {

BioState& bio_state_of(BIO* bio) noexcept { return *static_cast<BioState*>(BIO_get_data(bio)); }

bool is_letter(std::byte byte) noexcept {
  const auto letter = static_cast<char>(byte);
  return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
}

void note_failure(BioState& bio_state, const std::error_code& failure) noexcept {
  if (!bio_state.failure) bio_state.failure = failure;  // keep the first failure, which is the cause
}

int read_stream(BIO* bio, char* into, std::size_t size, std::size_t* count) {
  BioState& bio_state = bio_state_of(bio);
  BIO_clear_retry_flags(bio);
  if (bio_state.plain || bio_state.failure) return 0;
  const bool peer_waits = bio_state.gathers && !bio_state.gathered.empty();  // for the gathered bytes
  if (peer_waits || bio_state.read_bytes_left == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  const std::span room(reinterpret_cast<std::byte*>(into), size);
  const Result<std::size_t> got = bio_state.next->try_read(room);
  if (!got) {
    if (would_block(got)) {
      BIO_set_retry_read(bio);
    } else {
      note_failure(bio_state, got.error());
    }
    return 0;
  }
  bio_state.ended = *got == 0;
  if (bio_state.ended) return 0;
  if (!bio_state.began) bio_state.plain = is_letter(room.front());
  bio_state.began = true;
  bio_state.read_bytes_left -= std::min(bio_state.read_bytes_left, *got);
  *count = *got;
  return bio_state.plain ? 0 : 1;
}

// Returns how many bytes the stream accepted; 0 if it accepts none now, or has failed.
std::size_t pass_on(BioState& bio_state, std::span<const std::byte> from) noexcept {
  const Result<std::size_t> took = bio_state.next->try_write(from);
  if (took) return *took;
  if (!would_block(took)) note_failure(bio_state, took.error());
  return 0;
}

// Writes the gathered bytes and `from` in one call. Returns how many bytes of `from` the stream accepted.
std::size_t pass_on_with_gathered(BioState& bio_state, std::span<const std::byte> from) {
  const std::size_t before = bio_state.gathered.size();
  bio_state.gathered.insert(bio_state.gathered.end(), from.begin(), from.end());
  const std::size_t took = pass_on(bio_state, bio_state.gathered);
  if (took < before) {
    bio_state.gathered.resize(before);
    bio_state.gathered.erase(bio_state.gathered.begin(),
                             bio_state.gathered.begin() + static_cast<std::ptrdiff_t>(took));
    return 0;
  }
  bio_state.drop_gathered();
  return took - before;
}

// Returns how many bytes were gathered or passed on.
std::size_t gather_or_pass_on(BioState& bio_state, std::span<const std::byte> from) noexcept {
  try {
    if (!bio_state.gathers)
      return bio_state.gathered.empty() ? pass_on(bio_state, from) : pass_on_with_gathered(bio_state, from);
    bio_state.gathered.insert(bio_state.gathered.end(), from.begin(), from.end());
    return from.size();
  } catch (const std::bad_alloc&) {  // decided: it ends the connection, because no exception may pass through libssl
    note_failure(bio_state, std::make_error_code(std::errc::not_enough_memory));
    return 0;
  }
}

int write_stream(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
  BioState& bio_state = bio_state_of(bio);
  BIO_clear_retry_flags(bio);
  if (bio_state.plain || bio_state.failure) return 0;
  *count = gather_or_pass_on(bio_state, std::as_bytes(std::span(from, size)));
  if (*count != 0) return 1;
  if (!bio_state.failure) BIO_set_retry_write(bio);
  return 0;
}

long control_stream(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream");
  VOLT_CHECK(method != nullptr);
  BIO_meth_set_read_ex(method, read_stream);
  BIO_meth_set_write_ex(method, write_stream);
  BIO_meth_set_ctrl(method, control_stream);
  return method;
}

}  // namespace

bool BioState::flush() noexcept {
  if (gathered.empty()) return true;
  if (failure) return false;
  const std::size_t took = pass_on(*this, gathered);
  if (took == gathered.size()) {
    drop_gathered();
    return true;
  }
  gathered.erase(gathered.begin(), gathered.begin() + static_cast<std::ptrdiff_t>(took));
  return false;
}

BioState& bio_state_of(const SSL* ssl) noexcept { return bio_state_of(SSL_get_rbio(ssl)); }

BioHandle make_stream_bio(BioState& bio_state) {
  static BIO_METHOD* const method =
      make_method();  // lives as long as the process, because the BIOs of all threads use it
  BioHandle bio(BIO_new(method));
  if (!bio) return bio;
  BIO_set_data(bio.get(), &bio_state);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace volt::tls::internal
