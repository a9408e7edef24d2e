// SPDX-License-Identifier: MIT

// Address: the address a socket is bound or connected to. A value.
#pragma once

#include "runtime/net/address.h"  // IWYU pragma: export
