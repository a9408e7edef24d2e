// The OpenAPI document of an app: http/openapi/openapi.h says what is in it.
//
// Threads: one, while nobody changes the definition.
#pragma once

#include <string>

#include "http/openapi/openapi.h"
#include "http/web/group.h"

namespace volt::http::openapi {

// JSON, in one line. Throws std::invalid_argument.
[[nodiscard]] std::string document(const AppDefinition& definition, const OpenApiOptions& options);

}  // namespace volt::http::openapi
