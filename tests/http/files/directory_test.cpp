// SPDX-License-Identifier: MIT

#include "http/files/directory.h"

#include <doctest/doctest.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/files/internal/media_type.h"
#include "tests/http/files/scratch_directory.h"

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/directory");
namespace {

using Codings = std::vector<std::string_view>;

// Returns the content, or the error in words.
std::string outcome(const Directory& directory, std::string_view escaped, const Codings& codings = {}) {
  const auto file = directory.open_file(escaped, codings);
  if (file) return content_of(file->descriptor.get());
  switch (file.error()) {
    case FileError::not_found:
      return "not found";
    case FileError::lacks_slash:
      return "lacks slash";
    case FileError::forbidden:
      return "forbidden";
    case FileError::overloaded:
      return "overloaded";
    case FileError::failed:
      return "failed";
    case FileError::would_block:
      return "would block";
  }
  return {};
}

Directory opened(const std::string& path, FileOptions options = {}) {
  auto directory = Directory::open(path, std::move(options));
  REQUIRE(directory.has_value());
  return std::move(*directory);
}

}  // namespace

TEST_CASE("files, and the index of a directory, are served") {
  const ScratchDirectory scratch;
  scratch.file("index.html", "top");
  scratch.file("a.txt", "a");
  scratch.file("a b.txt", "blank");
  scratch.file("docs/index.html", "docs");
  scratch.file("docs/b.txt", "b");
  scratch.file("bare/c.txt", "c");
  scratch.folder("odd/index.html");
  scratch.file("main.htm", "main");
  const Directory directory = opened(scratch.path());
  const struct {
    std::string why;
    std::string_view escaped;
    std::string want;
  } cases[] = {
      {"a file", "a.txt", "a"},
      {"a file, in escapes", "%61%20b.txt", "blank"},
      {"a file in a folder", "docs/b.txt", "b"},
      {"the index at the top", "", "top"},
      {"the index by its name", "index.html", "top"},
      {"the index of a folder", "docs/", "docs"},
      {"the index of a folder without its slash", "docs", "lacks slash"},
      {"a folder without an index", "bare/", "not found"},
      {"a folder without an index and without slash is not disclosed", "bare", "not found"},
      {"an index that is a folder", "odd/", "not found"},
      {"an index that is a folder, without slash", "odd", "not found"},
      {"a file is not a folder", "a.txt/", "not found"},
      {"nothing there", "none.txt", "not found"},
      {"names are case-sensitive", "A.txt", "not found"},
  };
  for (const auto& [why, escaped, want] : cases) {
    CAPTURE(why);
    CHECK(outcome(directory, escaped) == want);
  }
  CHECK(outcome(opened(scratch.path(), {.index = "main.htm"}), "") == "main");
  CHECK(outcome(opened(scratch.path(), {.index = ""}), "") == "not found");
  CHECK(outcome(opened(scratch.path(), {.index = ""}), "docs") == "not found");
}

TEST_CASE("nothing outside the directory is served") {
  const ScratchDirectory scratch;
  scratch.file("secret.txt", "secret");
  scratch.file("root/a.txt", "a");
  scratch.file("root/.env", "hidden");
  scratch.file("root/.well-known/security.txt", "contact");
  scratch.file("root/%2e%2e/a.txt", "a name with percent signs");
  scratch.link("root/out", "../secret.txt");
  scratch.link("root/above", "..");
  scratch.link("root/absolute", scratch.path("secret.txt"));
  scratch.link("root/inside", "a.txt");
  const Directory directory = opened(scratch.path("root"));
  const struct {
    std::string why;
    std::string_view escaped;
    std::string want;
  } cases[] = {
      {"up", "../secret.txt", "not found"},
      {"up, escaped", "%2e%2e/secret.txt", "not found"},
      {"up, slash escaped", "..%2fsecret.txt", "not found"},
      {"up, all escaped", "%2e%2e%2fsecret.txt", "not found"},
      {"up, escaped twice", "%252e%252e/secret.txt", "not found"},
      {"escaped twice is a name", "%252e%252e/a.txt", "a name with percent signs"},
      {"up, backslash", "..\\secret.txt", "not found"},
      {"up, backslash escaped", "..%5csecret.txt", "not found"},
      {"up and down again", "../root/a.txt", "not found"},
      {"absolute", "/etc/passwd", "not found"},
      {"absolute, escaped", "%2fetc%2fpasswd", "not found"},
      {"cut by NUL", "a.txt%00", "not found"},
      {"a link out", "out", "not found"},
      {"through a link out", "above/secret.txt", "not found"},
      {"an absolute link", "absolute", "not found"},
      {"a link inside", "inside", "a"},
      {"hidden", ".env", "not found"},
      {"well-known", ".well-known/security.txt", "contact"},
  };
  for (const auto& [why, escaped, want] : cases) {
    CAPTURE(why);
    CHECK(outcome(directory, escaped) == want);
  }
  CHECK(outcome(opened(scratch.path("root"), {.hidden_files = true}), ".env") == "hidden");
  CHECK(outcome(opened(scratch.path("root"), {.follow_symlinks = false}), "inside") == "not found");
  CHECK(outcome(directory, std::string(256, 'a')) == "not found");
  CHECK(outcome(directory, std::string(30'000, 'a')) == "not found");
}

TEST_CASE("only regular files are served, and opening others does not block") {
  const ScratchDirectory scratch;
  scratch.fifo("pipe");
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const FileDescriptor socket(listener);
  sockaddr_un address{.sun_family = AF_UNIX};
  scratch.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const Directory directory = opened(scratch.path());
  CHECK(outcome(directory, "pipe") == "not found");
  CHECK(outcome(directory, "socket") == "not found");
  CHECK_MESSAGE(outcome(opened("/dev"), "null") == "not found", "a device");
  const Directory processes = opened("/proc");
  CHECK_MESSAGE(outcome(processes, "self/exe") == "not found", "a magic link to a file");
  CHECK_MESSAGE(outcome(processes, "self/root/etc/passwd") == "not found", "a magic link to a folder");
  CHECK_MESSAGE(outcome(processes, "self/fd/0") == "not found", "a magic link to a descriptor");
}

TEST_CASE("an opened descriptor waits for its file as usual") {
  const ScratchDirectory scratch;
  scratch.file("a.txt", "a");
  const auto file = opened(scratch.path()).open_file("a.txt");
  REQUIRE(file.has_value());
  CHECK((::fcntl(file->descriptor.get(), F_GETFL) & (O_NONBLOCK | O_ACCMODE)) == O_RDONLY);
  CHECK((::fcntl(file->descriptor.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("the metadata are those of the file") {
  const ScratchDirectory scratch;
  scratch.file("a.css", "12345");
  scratch.modified("a.css", {.tv_sec = 784111777, .tv_nsec = 250'000'000});
  scratch.file("empty", "");
  const Directory directory = opened(scratch.path());
  const auto first = directory.open_file("a.css");
  REQUIRE(first.has_value());
  CHECK(first->metadata.size_bytes == 5);
  CHECK(first->metadata.modified.time_since_epoch() == std::chrono::nanoseconds(784111777'250'000'000));
  CHECK(first->metadata.media_type == "text/css; charset=utf-8");
  CHECK(first->metadata.coding.empty());
  CHECK(directory.open_file("a.css")->metadata.etag == first->metadata.etag);
  CHECK(directory.open_file("empty")->metadata.size_bytes == 0);
  CHECK(directory.open_file("empty")->metadata.media_type == kUnknownMediaType);

  scratch.modified("a.css", {.tv_sec = 784111777, .tv_nsec = 250'000'001});
  CHECK_MESSAGE(directory.open_file("a.css")->metadata.etag != first->metadata.etag, "a nanosecond later");
  scratch.file("new.css", "54321");
  scratch.modified("new.css", {.tv_sec = 784111777, .tv_nsec = 250'000'000});
  std::filesystem::rename(scratch.path("new.css"), scratch.path("a.css"));
  CHECK_MESSAGE(directory.open_file("a.css")->metadata.etag != first->metadata.etag,
                "another file of that size and time");
  CHECK_MESSAGE(content_of(first->descriptor.get()) == "12345", "an opened file stays");
}

TEST_CASE("a time beyond the range of nanoseconds is clamped") {
  const ScratchDirectory scratch;
  scratch.file("future", "");
  scratch.modified("future", {.tv_sec = 15'000'000'000, .tv_nsec = 0});  // the year 2445
  const auto file = opened(scratch.path()).open_file("future");
  REQUIRE(file.has_value());
  CHECK(file->metadata.modified.time_since_epoch() <= std::chrono::seconds(9'000'000'000));
  CHECK(file->metadata.modified.time_since_epoch() > std::chrono::seconds(0));
}

TEST_CASE("the best coding whose sibling is not older is sent, RFC 9110 section 12.5.3") {
  const ScratchDirectory scratch;
  for (const std::string_view name : {"x.js", "x.js.br", "x.js.gz", "x.js.zst", "stale.js", "stale.js.br", "a.js",
                                      "a.js.gz", "index.html", "index.html.gz", "gone.js.br", "odd.js"}) {
    scratch.file(name, name);
    scratch.modified(name, {.tv_sec = 1000, .tv_nsec = 500});
  }
  scratch.modified("stale.js.br", {.tv_sec = 1000, .tv_nsec = 499});
  scratch.modified("a.js.gz", {.tv_sec = 2000, .tv_nsec = 0});
  scratch.folder("odd.js.br");
  scratch.fifo("odd.js.gz");
  const Directory directory = opened(scratch.path(), {.precompressed = true});
  const struct {
    std::string why;
    std::string_view escaped;
    Codings codings;
    std::string want;
  } cases[] = {
      {"none is accepted", "x.js", {}, "x.js"},
      {"brotli", "x.js", {"br"}, "x.js.br"},
      {"zstd", "x.js", {"zstd"}, "x.js.zst"},
      {"gzip", "x.js", {"gzip"}, "x.js.gz"},
      {"the first accepted one", "x.js", {"gzip", "br", "zstd"}, "x.js.gz"},
      {"the first one that exists", "a.js", {"br", "zstd", "gzip"}, "a.js.gz"},
      {"an unknown coding", "x.js", {"compress", "br"}, "x.js.br"},
      {"identity preferred", "x.js", {"identity", "br"}, "x.js"},
      {"identity last", "x.js", {"br", "identity"}, "x.js.br"},
      {"a sibling older by a nanosecond", "stale.js", {"br"}, "stale.js"},
      {"a sibling of an index", "", {"gzip"}, "index.html.gz"},
      {"a sibling without its file", "gone.js", {"br"}, "not found"},
      {"a sibling that is not a regular file", "odd.js", {"br", "gzip"}, "odd.js"},
      {"a sibling is also a file of its own", "x.js.gz", {}, "x.js.gz"},
  };
  for (const auto& [why, escaped, codings, want] : cases) {
    CAPTURE(why);
    CHECK(outcome(directory, escaped, codings) == want);
  }
  CHECK_MESSAGE(outcome(opened(scratch.path()), "x.js", {"br"}) == "x.js", "only with FileOptions::precompressed");

  const auto plain = directory.open_file("x.js");
  const auto coded = directory.open_file("x.js", Codings{"br"});
  REQUIRE((plain && coded));
  CHECK(coded->metadata.coding == "br");
  CHECK(coded->metadata.media_type == plain->metadata.media_type);
  CHECK(coded->metadata.size_bytes == 7);
  CHECK(coded->metadata.etag != plain->metadata.etag);
  const auto by_name = directory.open_file("x.js.br");
  REQUIRE(by_name.has_value());
  CHECK(by_name->metadata.coding.empty());
  CHECK_MESSAGE(by_name->metadata.etag != coded->metadata.etag, "equal bytes with another coding need another tag");
}

TEST_CASE("an opened file stays open, whatever happens to its name") {
  const ScratchDirectory scratch;
  scratch.file("old/a.txt", "old");
  scratch.file("new/a.txt", "new");
  const Directory directory = opened(scratch.path("old"));
  std::filesystem::rename(scratch.path("old"), scratch.path("older"));
  std::filesystem::rename(scratch.path("new"), scratch.path("old"));
  CHECK(outcome(directory, "a.txt") == "old");
  CHECK(outcome(directory, "none.txt") == "not found");
}

TEST_CASE("opening a missing directory reports the reason") {
  const ScratchDirectory scratch;
  scratch.file("a.txt", "a");
  CHECK(Directory::open(scratch.path("none")).error() == std::errc::no_such_file_or_directory);
  CHECK(Directory::open(scratch.path("a.txt")).error() == std::errc::not_a_directory);
}

TEST_CASE("without descriptors the server is overloaded, and recovers") {
  const ScratchDirectory scratch;
  scratch.file("a.txt", "a");
  const Directory directory = opened(scratch.path());
  rlimit before;
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto refused = directory.open_file("a.txt");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(refused.error() == FileError::overloaded);
  CHECK(outcome(directory, "a.txt") == "a");
}

TEST_CASE("a file without read permission is forbidden") {
  constexpr int kNobody = 65534;
  const ScratchDirectory scratch;
  scratch.file("closed.txt", "closed");
  scratch.file("open.txt", "open");
  REQUIRE(::chmod(scratch.path().c_str(), 0755) == 0);
  REQUIRE(::chmod(scratch.path("closed.txt").c_str(), 0) == 0);
  REQUIRE(::chmod(scratch.path("open.txt").c_str(), 0644) == 0);
  const Directory directory = opened(scratch.path());
  std::thread as_nobody([&] {
    // setfsuid() affects this thread only, and is refused in a container that cannot change the user.
    ::setfsuid(kNobody);
    if (::geteuid() == 0 && ::setfsuid(kNobody) != kNobody) return;
    CHECK(outcome(directory, "closed.txt") == "forbidden");
    CHECK(outcome(directory, "open.txt") == "open");
  });
  as_nobody.join();
}

TEST_CASE("each error has its status") {
  CHECK(status_for(FileError::not_found) == Status::not_found);
  CHECK(status_for(FileError::lacks_slash) == Status::moved_permanently);
  CHECK(status_for(FileError::forbidden) == Status::forbidden);
  CHECK(status_for(FileError::overloaded) == Status::service_unavailable);
  CHECK(status_for(FileError::failed) == Status::internal_server_error);
}

TEST_SUITE_END();
}  // namespace volt::http::files
