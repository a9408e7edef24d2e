// The entity tags of an answer's coded forms.
//
// Each coding has its own, or a cache that holds the br form could give it, revalidated, to a client that asked for
// gzip (RFC 9110 section 8.8.3.3). And it is weak: encoded once more, with other flushes or by another version, the
// content is the same but its bytes are not (section 8.8.1).
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/coding/content_coding.h"

namespace volt::http::coding {

// `"abc"` in br is `W/"abc-br"`. As it came: for identity, and what is no entity tag.
std::string coded_entity_tag(std::string_view tag, ContentCoding coding);

// The tag that coded_entity_tag() was given, weak unless for identity: `W/"abc-br"` in br was `W/"abc"`. Empty if it is
// not one of that coding. For If-None-Match: a tag that names the coding which is about to be chosen stands for the
// plain one.
std::optional<std::string> plain_entity_tag(std::string_view tag, ContentCoding coding);

}  // namespace volt::http::coding
