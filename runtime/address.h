// Address: where a socket is bound or connected. A value.
#pragma once

#include "runtime/net/address.h"  // IWYU pragma: export
