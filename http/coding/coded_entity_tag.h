// SPDX-License-Identifier: MIT

// The entity tags of a response's encoded forms.
//
// Each coding has its own tag, because otherwise a cache that holds the br form could serve it, after revalidation, to
// a client that accepts only gzip (RFC 9110 section 8.8.3.3). The tag is weak: encoding again, with other flushes or
// another version of the library, produces equal content but other bytes (section 8.8.1).
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/coding/content_coding.h"

namespace volt::http::coding {

// Returns the tag for `coding`: `"abc"` becomes `W/"abc-br"` in br. Returns `tag` unchanged for identity and for text
// that is not an entity tag.
std::string coded_entity_tag(std::string_view tag, ContentCoding coding);

// Reverses coded_entity_tag(). This serves to evaluate If-None-Match: a client that sends the tag of an encoded form
// has the content that the plain tag identifies. The result is weak unless `coding` is identity: `W/"abc-br"` in br
// yields `W/"abc"`. Returns nullopt if `tag` does not belong to `coding`.
std::optional<std::string> plain_entity_tag(std::string_view tag, ContentCoding coding);

}  // namespace volt::http::coding
