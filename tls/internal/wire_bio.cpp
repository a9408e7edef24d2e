#include "tls/internal/wire_bio.h"

#include <cstddef>
#include <span>

#include "runtime/base/check.h"

namespace volt::tls::internal {
namespace {

WirePort& port_of(BIO* bio) noexcept { return *static_cast<WirePort*>(BIO_get_data(bio)); }

bool is_letter(std::byte byte) noexcept {
  const auto letter = static_cast<char>(byte);
  return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
}

void note_failure(WirePort& port, const std::error_code& failure) noexcept {
  if (!port.failure) port.failure = failure;  // the first is the cause
}

int read_wire(BIO* bio, char* into, std::size_t size, std::size_t* count) {
  WirePort& port = port_of(bio);
  BIO_clear_retry_flags(bio);
  if (port.plain || port.failure) return 0;
  if (port.gathers && !port.gathered.empty()) {  // the peer waits for it
    BIO_set_retry_read(bio);
    return 0;
  }
  const std::span room(reinterpret_cast<std::byte*>(into), size);
  const Result<std::size_t> got = port.wire->try_read(room);
  if (!got) {
    if (got.error() == std::errc::operation_would_block) {
      BIO_set_retry_read(bio);
    } else {
      note_failure(port, got.error());
    }
    return 0;
  }
  port.ended = *got == 0;
  if (port.ended) return 0;
  if (!port.began) port.plain = is_letter(room.front());
  port.began = true;
  *count = *got;
  return port.plain ? 0 : 1;
}

// How many bytes the wire takes; 0: none now, or it has failed.
std::size_t pass_on(WirePort& port, std::span<const std::byte> from) noexcept {
  const Result<std::size_t> took = port.wire->try_write(from);
  if (took) return *took;
  if (took.error() != std::errc::operation_would_block) note_failure(port, took.error());
  return 0;
}

// In one write with what has gathered before them.
std::size_t pass_on_behind_gathered(WirePort& port, std::span<const std::byte> from) {
  const std::size_t before = port.gathered.size();
  port.gathered.insert(port.gathered.end(), from.begin(), from.end());
  const std::size_t took = pass_on(port, port.gathered);
  if (took < before) {
    port.gathered.resize(before);
    port.gathered.erase(port.gathered.begin(), port.gathered.begin() + static_cast<std::ptrdiff_t>(took));
    return 0;
  }
  port.drop_gathered();
  return took - before;
}

int write_wire(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
  WirePort& port = port_of(bio);
  BIO_clear_retry_flags(bio);
  if (port.plain || port.failure) return 0;
  const std::span bytes = std::as_bytes(std::span(from, size));
  if (port.gathers) {
    port.gathered.insert(port.gathered.end(), bytes.begin(), bytes.end());
    *count = size;
    return 1;
  }
  *count = port.gathered.empty() ? pass_on(port, bytes) : pass_on_behind_gathered(port, bytes);
  if (*count != 0) return 1;
  if (!port.failure) BIO_set_retry_write(bio);
  return 0;
}

long control_wire(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
  VOLT_CHECK(method != nullptr);
  BIO_meth_set_read_ex(method, read_wire);
  BIO_meth_set_write_ex(method, write_wire);
  BIO_meth_set_ctrl(method, control_wire);
  return method;
}

}  // namespace

bool WirePort::flush() noexcept {
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

WirePort& port_of(const SSL* ssl) noexcept { return port_of(SSL_get_rbio(ssl)); }

BioHandle make_wire_bio(WirePort& port) {
  static BIO_METHOD* const method = make_method();  // for the life of the process: BIOs of every thread refer to it
  BioHandle bio(BIO_new(method));
  if (!bio) return bio;
  BIO_set_data(bio.get(), &port);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace volt::tls::internal
