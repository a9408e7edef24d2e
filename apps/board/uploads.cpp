// SPDX-License-Identifier: MIT

#include "apps/board/uploads.h"

#include <crypto/base64.h>
#include <crypto/digest.h>
#include <http/validation/checked.h>
#include <pg/pg.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace board {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
using namespace volt::literals;
using http::Path;
using http::Response;
using http::State;
using http::Status;
using volt::Task;

using Digest = volt::Pattern<"[A-Za-z0-9_-]{43}">;  // SHA-256 in base64url
using Type = volt::Pattern<"[a-z]+/[A-Za-z0-9.+-]{1,80}">;

struct Upload {
  std::string type;
  std::vector<std::byte> data;
};

Task<Status> store(http::Request& request, Path<Digest> digest, http::Header<"content-type", Type> type,
                   State<pg::Pool> db) {
  const std::string_view body = co_await request.read_body();
  if (volt::crypto::base64url_encode(volt::crypto::sha256(body)) != digest->value()) {
    throw http::Problem(Status::unprocessable_content, "the content does not have the digest of the path");
  }
  const auto data = std::as_bytes(std::span(body));
  const std::uint64_t added =
      co_await db->execute("insert into upload (digest, type, data) values ($1, $2, $3) on conflict do nothing",
                           digest->value(), type->value(), data);
  co_return added != 0 ? Status::created : Status::no_content;
}

// A browser must not treat the content of a member as a page of this site.
Task<Response> load(Path<Digest> digest, State<pg::Pool> db) {
  const auto found = co_await db->find<Upload>("select type, data from upload where digest = $1", digest->value());
  if (!found) throw http::not_found("no such upload");
  std::string body(reinterpret_cast<const char*>(found->data.data()), found->data.size());
  Response response;
  response.body(std::move(body), "application/octet-stream");
  response.header("Content-Type", found->type);
  response.header("Content-Disposition", "attachment");
  response.header("Cache-Control", "public, max-age=31536000, immutable");
  co_return response;
}

}  // namespace

void add_uploads(http::App& app, const Access& access) {
  app.get("/uploads/{digest}", load).summary("The content with this digest").operation_id("load_upload");
  auto writing = app.group("/uploads");
  access.members_only(writing);
  writing.use(http::body_limit(4_MiB), http::concurrency_limit({.running_max = 8}));
  writing.put("/{digest}", store).summary("Stores content under its SHA-256").operation_id("store_upload");
}

}  // namespace board
