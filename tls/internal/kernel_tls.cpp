// SPDX-License-Identifier: MIT

#include "tls/kernel_tls.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/opensslconf.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace volt::tls {
namespace {

#ifdef OPENSSL_NO_KTLS
constexpr bool kInLibssl = false;
#else
constexpr bool kInLibssl = true;
#endif

// A kernel with kTLS fails with ENOTCONN, because the socket is not connected (tls(7)). A kernel without kTLS does not
// know the name "tls".
bool in_kernel() noexcept {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool known = ::setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 3) == 0 || errno == ENOTCONN;
  ::close(fd);
  return known;
}

}  // namespace

KernelTls probe_kernel_tls() noexcept {
  if (!kInLibssl) return KernelTls::not_in_libssl;
  return in_kernel() ? KernelTls::possible : KernelTls::not_in_kernel;
}

std::string_view to_text(KernelTls found) noexcept {
  switch (found) {
    case KernelTls::possible:
      return "possible";
    case KernelTls::not_in_kernel:
      return "not in this kernel";
    case KernelTls::not_in_libssl:
      return "not in this libssl";
  }
  std::unreachable();
}

}  // namespace volt::tls
