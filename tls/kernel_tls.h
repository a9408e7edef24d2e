// SPDX-License-Identifier: MIT

// Probes whether the kernel could encrypt sent data (kTLS), which sendfile(2) needs under TLS.
//
// Nothing in this folder uses kTLS: libssl passes its keys to the kernel only through a socket that libssl owns, and
// here it calls a stream (tls/internal/stream_bio.h). Under TLS, files are always copied through user space. The
// result of the probe is for diagnosis.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string_view>

namespace volt::tls {

enum class KernelTls : std::uint8_t {
  possible,
  not_in_kernel,  // the kernel lacks kTLS, or its module cannot be loaded
  not_in_libssl,  // libssl was built without kTLS
};

// Probes libssl and the kernel.
[[nodiscard]] KernelTls probe_kernel_tls() noexcept;

// Returns a text for a log, such as "not in this kernel".
[[nodiscard]] std::string_view to_text(KernelTls found) noexcept;

}  // namespace volt::tls
