// SPDX-License-Identifier: MIT

// Tests of temporaries in the operand of a co_await.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/coro/await_forms.h"

namespace volt {
namespace {

using namespace test;  // NOLINT: the forms consist of its names

const Form kArguments[] = {
    {"object", []() -> Task<> { co_await object(Tracked(1)); }},
    {"reference", []() -> Task<> { co_await reference(Tracked(1)); }},
    {"aggregate", []() -> Task<> { co_await group(Group{Tracked(1)}); }},
    {"aggregate in parentheses", []() -> Task<> { co_await group(Group(Tracked(1), 2)); }},
    {"aggregate in braces", []() -> Task<> { co_await group({Tracked(1)}); }},
    {"designated members", []() -> Task<> { co_await group({.first = Tracked(1), .number = 2}); }},
    {"reference to an aggregate", []() -> Task<> { co_await group_reference(Group{Tracked(1)}); }},
    {"reference to an aggregate in braces", []() -> Task<> { co_await group_reference({.first = Tracked(1)}); }},
    {"aggregate of two", []() -> Task<> { co_await pair_of({Tracked(1), Tracked(2)}); }},
    {"nested aggregate", []() -> Task<> { co_await nested({.inner = {.first = Tracked(1)}, .last = Tracked(2)}); }},
    {"default member",
     []() -> Task<> {
       co_await defaults({.number = 2});
       co_await defaults({});
     }},
    {"class with a constructor", []() -> Task<> { co_await constructed(Constructed(Tracked(1), 2)); }},
    {"class with a constructor, in braces", []() -> Task<> { co_await constructed({Tracked(1), 2}); }},
    {"default arguments", []() -> Task<> { co_await default_arguments(); }},
    {"initializer list", []() -> Task<> { co_await initializer_list({Tracked(1), Tracked(2)}); }},
    {"vector of a list", []() -> Task<> { co_await vector({Tracked(1), Tracked(2)}); }},
    {"named vector of a list", []() -> Task<> { co_await vector(std::vector{Tracked(1), Tracked(2)}); }},
    {"optional",
     []() -> Task<> {
       co_await optional(Tracked(1));
       co_await optional(std::nullopt);
     }},
    {"optional in braces", []() -> Task<> { co_await optional({}); }},
    {"shared pointer", []() -> Task<> { co_await shared(std::make_shared<Tracked>(1)); }},
    {"string",
     []() -> Task<> {
       co_await string(std::string(60, 'x'));
       co_await string("text");
     }},
    {"view of a string",
     []() -> Task<> {
       if (co_await string_view(std::string(60, 'x')) != 60) ++run.faults;
     }},
    {"tasks", []() -> Task<> { co_await tasks(object(Tracked(1)), object(Tracked(2))); }},
    {"tasks with aggregates", []() -> Task<> { co_await tasks(group({Tracked(1)}), group(Group{Tracked(2)})); }},
    {"named argument",
     []() -> Task<> {
       Group one{Tracked(1)};
       co_await group(std::move(one));
     }},
    {"named task",
     []() -> Task<> {
       auto task = group(Group{Tracked(1)});
       co_await std::move(task);
     }},
    {"aggregate in a loop",
     []() -> Task<> {
       for (int i = 0; i != 3; ++i) co_await group({.first = Tracked(i)});
     }},
};

const Form kFunctions[] = {
    {"lambda", []() -> Task<> { co_await function([one = Tracked(1)] { return one.value(); }); }},
    {"reference to a lambda",
     []() -> Task<> { co_await function_reference([one = Tracked(1)] { return one.value(); }); }},
    {"copy captured",
     []() -> Task<> {
       Tracked one(1);
       co_await function([one] { return one.value(); });
     }},
    {"reference captured",
     []() -> Task<> {
       Tracked one(1);
       co_await function([&] { return one.value(); });
     }},
    {"two lambdas",
     []() -> Task<> {
       co_await coroutines([one = Tracked(1)] { return object(one); }, [two = Tracked(2)] { return object(two); });
     }},
    {"lambda with an aggregate",
     []() -> Task<> {
       Tracked one(1);
       co_await number_and_coroutine(3, [&] { return group({one}); });
     }},
    {"lambda after a number",
     []() -> Task<> {
       Tracked one(1);
       co_await number_and_coroutine(3, [one] { return object(one); });
     }},
    {"std::function of a lambda",
     []() -> Task<> { co_await std_function([one = Tracked(1)] { return one.value(); }); }},
    {"named std::function",
     []() -> Task<> {
       std::function<int()> f = [one = Tracked(1)] { return one.value(); };
       co_await std_function(f);
     }},
    {"lambda that is a coroutine",
     []() -> Task<> {
       co_await [](Tracked one) -> Task<> {
         co_await Wait();
         static_cast<void>(one.value());
       }(Tracked(1));
     }},
    {"capturing lambda that is a coroutine",
     []() -> Task<> {
       co_await [one = Tracked(1)]() -> Task<> {
         co_await Wait();
         static_cast<void>(one.value());
       }();
     }},
    {"aggregate that is awaited", []() -> Task<> { co_await AggregateWait{{}, Tracked(1)}; }},
    {"class that is awaited", []() -> Task<> { co_await ClassWait(Tracked(1)); }},
    {"chain of members", []() -> Task<> { co_await Builder(Tracked(1)).with(Tracked(2)).with(Tracked(3)).send(); }},
    {"member with an aggregate",
     []() -> Task<> {
       Builder builder(Tracked(1));
       co_await builder.send_group({.first = Tracked(2)});
     }},
};

// Each form waits at its end as well, so that it is destroyed after the exception.
const Form kExceptions[] = {
    {"second argument",
     []() -> Task<> {
       try {
         co_await objects(Tracked(1), refused());
       } catch (Refused) {
       }
       co_await Wait();
     }},
    {"second member",
     []() -> Task<> {
       try {
         co_await pair_of({Tracked(1), refused()});
       } catch (Refused) {
       }
       co_await Wait();
     }},
    {"number after a member",
     []() -> Task<> {
       try {
         co_await group({.first = Tracked(1), .number = refused_number()});
       } catch (Refused) {
       }
       co_await Wait();
     }},
    {"member after a wait",
     []() -> Task<> {
       try {
         co_await pair_of({co_await make(1), refused()});
       } catch (Refused) {
       }
       co_await Wait();
     }},
    {"argument before a lambda",
     []() -> Task<> {
       try {
         co_await number_and_coroutine(refused_number(), [one = Tracked(1)] { return object(one); });
       } catch (Refused) {
       }
       co_await Wait();
     }},
};

}  // namespace

TEST_SUITE_BEGIN("runtime/coro/await_arguments");

TEST_CASE("an argument of an awaited call is destroyed once") {
  for (const Form& form : kArguments) check(form);
}

TEST_CASE("an awaited function object, awaiter or builder is destroyed once") {
  for (const Form& form : kFunctions) check(form);
}

TEST_CASE("an exception in an operand destroys its objects once") {
  for (const Form& form : kExceptions) check(form);
}

}  // namespace volt
