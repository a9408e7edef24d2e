// SPDX-License-Identifier: MIT

#include "http/files/internal/beneath.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "tests/http/files/scratch_directory.h"
#include "tests/support/forbid_call.h"

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/internal/beneath");
namespace {

// A tree with every kind of link, and a secret file outside it.
struct Tree {
  Tree() {
    scratch.file("secret.txt", "secret");
    scratch.file("root/a.txt", "a");
    scratch.file("root/folder/b.txt", "b");
    scratch.link("root/inside.txt", "folder/b.txt");
    scratch.link("root/inside", "folder");
    scratch.link("root/folder/up.txt", "../a.txt");
    scratch.link("root/out.txt", "../secret.txt");
    scratch.link("root/out", "..");
    scratch.link("root/absolute.txt", scratch.path("root/a.txt"));
    scratch.link("root/circle", "circle");
    scratch.link("root/gone", "nothing");
    directory = FileDescriptor(::open(scratch.path("root").c_str(), O_PATH | O_DIRECTORY));
    REQUIRE(directory.get() >= 0);
  }
  ScratchDirectory scratch;
  FileDescriptor directory;
};

std::string outcome(const Result<FileDescriptor>& opened) {
  if (!opened) return "refused";
  struct stat status;
  REQUIRE(::fstat(opened->get(), &status) == 0);
  return S_ISREG(status.st_mode) ? content_of(opened->get()) : "opened";
}

}  // namespace

TEST_CASE("a path is opened only beneath its directory") {
  const Tree tree;
  const struct {
    std::string why, relative, followed, refused, walked;
  } cases[] = {
      {"a file", "a.txt", "a", "a", "a"},
      {"in a folder", "folder/b.txt", "b", "b", "b"},
      {"a folder", "folder", "opened", "opened", "opened"},
      {"nothing there", "none.txt", "refused", "refused", "refused"},
      {"below a file", "a.txt/b", "refused", "refused", "refused"},
      {"a link that stays inside", "inside.txt", "b", "refused", "refused"},
      {"through a folder's link that stays inside", "inside/b.txt", "b", "refused", "refused"},
      {"a link that goes up and stays inside", "folder/up.txt", "a", "refused", "refused"},
      {"a link out", "out.txt", "refused", "refused", "refused"},
      {"through a folder's link out", "out/secret.txt", "refused", "refused", "refused"},
      {"out of the directory and in again", "out/root/a.txt", "refused", "refused", "refused"},
      {"an absolute link, even to a file inside", "absolute.txt", "refused", "refused", "refused"},
      {"a cycle of links", "circle", "refused", "refused", "refused"},
      {"a link to a missing file", "gone", "refused", "refused", "refused"},
      {"up", "../secret.txt", "refused", "refused", "refused"},
      {"up from a folder", "folder/../../secret.txt", "refused", "refused", "refused"},
      {"absolute", tree.scratch.path("root/a.txt"), "refused", "refused", "refused"},
      {"a name too long", std::string(256, 'a'), "refused", "refused", "refused"},
      {"a path too long", std::string(5000, 'a'), "refused", "refused", "refused"},
  };
  for (const auto& [why, relative, followed, refused, walked] : cases) {
    CAPTURE(why);
    CHECK(outcome(open_beneath(tree.directory.get(), relative, Symlinks::followed)) == followed);
    CHECK(outcome(open_beneath(tree.directory.get(), relative, Symlinks::refused)) == refused);
    CHECK(outcome(walk_beneath(tree.directory.get(), relative)) == walked);
  }
}

TEST_CASE("without openat2 the path is walked name by name") {
  const Tree tree;
  for (const int error_number : {ENOSYS, EPERM}) {
    std::string plain, link, out;
    std::thread sandboxed([&] {
      test::forbid_call(SYS_openat2, error_number);
      plain = outcome(open_beneath(tree.directory.get(), "folder/b.txt", Symlinks::followed));
      link = outcome(open_beneath(tree.directory.get(), "inside.txt", Symlinks::followed));
      out = outcome(open_beneath(tree.directory.get(), "out.txt", Symlinks::followed));
    });
    sandboxed.join();
    CHECK(plain == "b");
    CHECK(link == "refused");
    CHECK(out == "refused");
  }
}

TEST_CASE("a path that is renamed all the time is given up") {
  const Tree tree;
  for (const int error_number : {EAGAIN, EINTR}) {
    std::error_code error;
    std::thread disturbed([&] {
      test::forbid_call(SYS_openat2, error_number);
      error = open_beneath(tree.directory.get(), "a.txt", Symlinks::followed).error();
    });
    disturbed.join();
    CHECK(error == std::error_code(error_number, std::system_category()));
  }
}

TEST_SUITE_END();
}  // namespace volt::http::files
