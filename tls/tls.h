// SPDX-License-Identifier: MIT

// Umbrella header of volt::tls: TLS over any Stream.
#pragma once

#include "tls/context.h"
#include "tls/development_certificate.h"
#include "tls/error.h"
#include "tls/handshake_info.h"
#include "tls/options.h"
#include "tls/reloadable_context.h"
#include "tls/stream.h"
