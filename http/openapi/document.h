// SPDX-License-Identifier: MIT

// Composes the OpenAPI document of an app; http/openapi/openapi.h describes its contents.
//
// Threads: one, while the definition does not change.
#pragma once

#include <string>

#include "http/openapi/openapi.h"
#include "http/web/group.h"

namespace volt::http::openapi {

// Returns JSON in one line. Throws std::invalid_argument: see http/openapi/openapi.h.
[[nodiscard]] std::string document(const AppDefinition& definition, const OpenApiOptions& options);

}  // namespace volt::http::openapi
