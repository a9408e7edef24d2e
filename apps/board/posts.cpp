// SPDX-License-Identifier: MIT

#include "apps/board/posts.h"

#include <http/validation/checked.h>
#include <pg/pg.h>

#include <limits>
#include <utility>
#include <vector>

namespace board {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
using http::From;
using http::Json;
using http::Path;
using http::Query;
using http::Response;
using http::State;
using http::Status;
using volt::Task;

// The name of one intention to post, such as a UUID. A client that has lost the response repeats the request with the
// key, and gets the response to the first one (draft-ietf-httpapi-idempotency-key-header).
using IdempotencyKey = http::Header<"idempotency-key", volt::Pattern<"\"?[A-Za-z0-9_.:-]{1,100}\"?">>;

struct Storable {
  static bool holds(const std::string& text) { return !text.contains('\0'); }
  static std::string sentence() { return "must not contain the character NUL"; }
};

struct NewPost {
  volt::Checked<std::string, volt::rules::Size<1, 4000>, Storable> text;
  std::optional<volt::Pattern<"[A-Za-z0-9_-]{43}">> upload = std::nullopt;
};

struct Page {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
};

constexpr const char* kAdd =
    "insert into post (member, key, text, upload) values ($1, $2, $3, $4) on conflict (member, key) do nothing "
    "returning id";
constexpr const char* kFindByKey =
    "select post.id, name, text, upload from post join member on member.id = post.member "
    "where post.member = $1 and key = $2";
constexpr const char* kFind =
    "select post.id, name, text, upload from post join member on member.id = post.member where post.id = $1";
constexpr const char* kList =
    "select post.id, name, text, upload from post join member on member.id = post.member where post.id < $1 "
    "order by post.id desc limit 50";

// The post and the job that delivers it exist together or not at all.
Task<> add_once(pg::Pool db, pg::JobQueue deliveries, std::int64_t member, std::string key, Post post) {
  pg::Transaction transaction = co_await db.transaction();
  const auto id = co_await transaction.find<std::int64_t>(kAdd, member, key, post.text, post.upload);
  if (!id) co_return;  // an earlier request with the key has added it
  std::string payload = std::to_string(*id);
  co_await deliveries.push(transaction, std::move(payload));
  co_await transaction.commit();
}

Task<http::Created<Post>> write(Json<NewPost> in, IdempotencyKey key, From<Member> author, State<pg::Pool> db,
                                State<pg::JobQueue> deliveries) {
  Post wanted{.text = in->text};
  if (in->upload) wanted.upload = in->upload->value();
  co_await add_once(*db, *deliveries, author->id, key->value(), wanted);
  auto post = co_await db->find<Post>(kFindByKey, author->id, key->value());
  if (post->text != wanted.text || post->upload != wanted.upload) {
    throw http::Problem(Status::unprocessable_content, "another post was written with this Idempotency-Key");
  }
  co_return *std::move(post);
}

Task<std::optional<Post>> show(Path<std::int64_t> id, State<pg::Pool> db) {
  co_return co_await db->find<Post>(kFind, *id);
}

// Each post that is written removes the cached pages. A removal that Redis misses is seen after five seconds.
Task<Response> list(Query<Page> page, State<pg::Pool> db) {
  const std::vector<Post> posts = co_await db->query<Post>(kList, page->before);
  co_return Response::json(http::to_json(posts)).header("Cache-Control", "public, max-age=0, s-maxage=5");
}

http::Problem unknown_upload(const pg::ForeignKeyViolation&) {
  return http::Problem(Status::unprocessable_content).invalid("/upload", "there is no such upload");
}

}  // namespace

void add_posts(http::App& app, const Access& access, const std::shared_ptr<http::ResponseCache>& pages,
               http::Middleware limit) {
  auto reading = app.group("/posts");
  reading.use(http::cache(pages));
  reading.get("", list).summary("Posts, the newest first").operation_id("list_posts");
  reading.get("/{id}", show).summary("One post").operation_id("show_post");
  auto writing = app.group("/posts");
  writing.use(http::cache(pages));
  access.members_only(writing);
  writing.use(std::move(limit));
  writing.post("", write).summary("Writes a post, once for each Idempotency-Key").operation_id("write_post");
  app.on_error(unknown_upload);
}

}  // namespace board
