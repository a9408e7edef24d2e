// Whether the kernel could do the encryption of what is sent (kTLS), without which sendfile(2) is of no use to TLS.
//
// Nothing here makes use of it: libssl hands its keys to the kernel only over a socket of its own, and ours is a transport
// (tls/internal/byte_transport.h). Files go through user space under TLS, kernel or not; the answer is for whoever measures that.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string_view>

namespace volt::tls {

enum class KernelTls : std::uint8_t {
  possible,
  not_in_kernel,  // or its module cannot be loaded
  not_in_libssl,  // built without
};

// Asks the kernel.
[[nodiscard]] KernelTls probe_kernel_tls() noexcept;

// For a log: "not in this kernel".
[[nodiscard]] std::string_view to_text(KernelTls found) noexcept;

}  // namespace volt::tls
