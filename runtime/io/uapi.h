// SPDX-License-Identifier: MIT

// Kernel constants of io_uring that the headers of Debian 12's liburing (2.3) do not define yet. The values come from
// include/uapi/linux/io_uring.h of the kernel version named after each constant.
#pragma once

#include <liburing.h>

namespace volt::io::uapi {

inline constexpr unsigned kEnterNoIoWait = 1U << 7;     // IORING_ENTER_NO_IOWAIT, 6.15
inline constexpr unsigned kFeatureNoIoWait = 1U << 17;  // IORING_FEAT_NO_IOWAIT, 6.15
inline constexpr unsigned kRegisterSendMsgRing = 31;    // IORING_REGISTER_SEND_MSG_RING, 6.13

}  // namespace volt::io::uapi
