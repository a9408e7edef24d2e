// SPDX-License-Identifier: MIT

#include "http/server/app.h"

#include "http/openapi/document.h"
#include "http/openapi/openapi.h"

namespace volt::http {

App& App::openapi(PatternFor<Handler> pattern, OpenApiOptions options) {
  auto text = std::make_shared<std::string>();
  definition_->when_complete.emplace_back([text, options = std::move(options)](const AppDefinition& definition) {
    *text = openapi::document(definition, options);
  });
  get(pattern, Handler([text] { return Response::json(*text); })).hidden();
  return *this;
}

std::string App::openapi(const OpenApiOptions& options) const { return openapi::document(*definition_, options); }

}  // namespace volt::http
