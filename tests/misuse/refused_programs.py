# SPDX-License-Identifier: MIT
"""Wrong programs that the compiler refuses; beside each is a similar program that compiles."""

import typing


class Wrong(typing.NamedTuple):
    what: str  # the mistake
    bad: str  # a statement
    good: str
    says: str  # what the compiler says: the sentence of the first error, or a part of it
    needs: str = ""  # declarations for both
    place: str = "function"  # "function", or "coroutine"
    note: bool = False  # the sentence is in a note of the first error, whose own words are the compiler's


PARAMETER = (
    "a handler's parameter is Request&, an extractor (Path, Query, Json, State, ...), or a type with a static from(Request&)"
)
SIGNATURE = (
    "a handler is a function or lambda whose parameters have types: Request& or extractors such as Path<int>, "
    "neither auto nor overloads"
)
RESULT = (
    "a handler returns text, a Response, a type that JSON can represent, a Problem, a Status or nothing; an optional, "
    "expected or variant of them; or a Task of one"
)
VIEW = (
    "a handler returns what it owns: return std::string or a container, not a view or a pointer, because the text may "
    "be freed before it is sent; for a literal return StaticText"
)
ONE_BODY = (
    "a request has one body, so a handler takes at most one of Json, Form, Multipart and BodyStream; "
    "to accept several media types, take Request&"
)
TEXT = (
    "this type cannot be read from text: use a number, bool, char, enum with a fixed underlying type, std::string or "
    "std::optional of these, or write from_text(std::string_view, std::type_identity<T>)"
)
FIELDS = "Query and Form take a struct with a default constructor, whose members are read from text"
UNREADABLE = (
    "this type cannot be read from JSON: it must have a default constructor and be a number, std::string, enum with an "
    "underlying type, container that owns its elements, or plain struct; or specialize volt::http::JsonConverter for it"
)
UNWRITABLE = (
    "this type has no JSON form: it is not a number, text, enum with an underlying type, container or plain struct; "
    "specialize volt::http::JsonConverter for it"
)
MEMBERS = "a struct may have at most 64 members: group some of them in a struct"
RULE = "a rule of Checked<T, Rules...> has `static bool holds(const T&)` and `static std::string sentence()`"
CHECK = "check() must return std::optional<volt::Invalid> or std::vector<volt::Invalid>"
SETTING = (
    "this member cannot be a setting: use bool, a number, std::string, an enum with an underlying type, a std::chrono "
    "duration of milliseconds or longer units, volt::ByteSize, volt::Secret, a volt::Checked type, a std::optional or "
    "std::vector of one of these, or a struct of settings"
)
DESCRIPTION = "an entry of `descriptions` names no member of the struct"
MIDDLEWARE = "middleware is a coroutine Task<Response> (Request& request, Next next)"
ON_ERROR = (
    "on_error takes a function of an exception, by const reference, and optionally of const Request&; "
    "its result becomes the response"
)
EACH_LABEL = "with() takes one value for each label of the metric, in the order of the labels"
LABEL_TEXT = "the value of a label is text: std::string, std::string_view or a literal"
TAKES_OVER = "a handler takes an EventStream& or a WebSocket& by reference"
MUTABLE = (
    "several workers call a handler at once, so its call operator is const: a lambda is not mutable, and what changes is "
    "in app.state(), as an atomic or with a lock"
)
REFERENCE = "a handler returns a value, not a reference: what it refers to may be gone before the response is sent"
IN_BRACES = "a_parameter_of_the_pattern_must_be_written_in_braces"

NAMES = "struct Names { " + " ".join(f"int m{i} = 0;" for i in range(65)) + " };"
FEWER = "struct Fewer { " + " ".join(f"int m{i} = 0;" for i in range(64)) + " };"

COMMON = """
struct Shared { int value = 0; void add() {} int count() const { return 1; } };
struct Unreadable { void* pointer; };
struct Readable { int number; };
struct Other { int count; };
struct Outer { std::vector<Readable> all; };
struct Pinned { Pinned() = default; explicit Pinned(int) {} Pinned(Pinned&&) = delete; };
inline Task<int> number() { co_return 1; }
inline Task<int> length(std::string text) { co_return static_cast<int>(text.size()); }
inline int plain() { return 1; }
"""

HANDLERS = [
    Wrong("a parameter that is made from nothing in a request",
          'app.get("/", [](int) { return ""; });', 'app.get("/", [](Request&) { return ""; });', PARAMETER),
    Wrong("a path parameter as a plain type",
          'app.get("/{id}", [](int id) { return std::to_string(id); });',
          'app.get("/{id}", [](Path<int> id) { return std::to_string(*id); });', PARAMETER),
    Wrong("a body as a plain struct",
          'app.post("/", [](Readable in) { return in; });', 'app.post("/", [](Json<Readable> in) { return *in; });',
          PARAMETER),
    Wrong("a response as a parameter",
          'app.get("/", [](Request&, Response& response) { response.status(Status::created); });',
          'app.get("/", [](Request&) { return Response(Status::created); });', PARAMETER),
    Wrong("a pointer to the request",
          'app.get("/", [](Request* request) { return std::string(request->path()); });',
          'app.get("/", [](Request& request) { return std::string(request.path()); });', PARAMETER),
    Wrong("a request by value",
          'app.get("/", [](Request) { return ""; });', 'app.get("/", [](const Request&) { return ""; });',
          "a handler takes the request by reference: Request&"),
    Wrong("an auto parameter that does not take the request",
          'app.get("/{id}", [](auto id) { return *id; });', 'app.get("/{id}", [](Path<int> id) { return *id; });',
          SIGNATURE, note=True),
    Wrong("two auto parameters",
          'app.get("/", [](auto& a, auto& b) { return ""; });', 'app.get("/", [](auto& request) { return ""; });',
          SIGNATURE),
    Wrong("an overloaded handler",
          'app.get("/", Overloaded());', 'app.get("/", One());', SIGNATURE,
          "struct Overloaded { int operator()(Path<int>) { return 1; } int operator()(Query<Readable>) { return 2; } };"
          "struct One { int operator()(Request&) const { return 1; } };"),
    Wrong("a handler that is not a function",
          'app.get("/", 5);', 'app.get("/", [] { return 5; });', SIGNATURE),
    Wrong("a fallback with a wrong parameter",
          'app.fallback([](int) { return ""; });', 'app.fallback([](Request&) { return ""; });', PARAMETER),
    Wrong("a fallback that returns a view",
          'app.fallback([](Request& r) { return r.path(); });',
          'app.fallback([](Request& r) { return std::string(r.path()); });', VIEW),
    Wrong("a route of a group with a wrong parameter",
          'app.group("/api").put("/", [](double) {});', 'app.group("/api").put("/", [] {});', PARAMETER),
    Wrong("a handler that counts in a lambda of its own",
          'app.get("/", [count = 0]() mutable { return std::to_string(++count); });',
          'app.state<std::atomic<int>>(); '
          'app.get("/", [](State<std::atomic<int>> count) { return std::to_string(count->load()); });', MUTABLE),
    Wrong("a function object whose call operator changes it", 'app.get("/", Counts());', 'app.get("/", Reads());', MUTABLE,
          'struct Counts { int count = 0; int operator()() noexcept { return ++count; } };'
          'struct Reads { int count = 0; int operator()() const noexcept { return count; } };'),
]

BODIES = [
    Wrong("a JSON body and a form",
          'app.post("/", [](Json<Readable>, Form<Other>) {});', 'app.post("/", [](Json<Readable>, Query<Other>) {});',
          ONE_BODY),
    Wrong("two JSON bodies",
          'app.post("/", [](Json<Readable>, Json<Other>) {});', 'app.post("/", [](Json<Readable>, Request&) {});',
          ONE_BODY),
    Wrong("a multipart form and a JSON body",
          'app.post("/", [](Multipart, Json<Readable>) {});', 'app.post("/", [](Multipart, Request&) {});', ONE_BODY),
    Wrong("a body both streamed and as a form",
          'app.post("/", [](BodyStream, Form<Readable>) {});', 'app.post("/", [](BodyStream, Query<Readable>) {});',
          ONE_BODY),
]

RESULTS = [
    Wrong("a pointer to any object", 'app.get("/", []() -> void* { return nullptr; });',
          'app.get("/", []() -> Readable { return {}; });', RESULT),
    Wrong("a task of such a pointer", 'app.get("/", []() -> Task<void*> { co_return nullptr; });',
          'app.get("/", []() -> Task<Readable> { co_return Readable(); });', RESULT),
    Wrong("a reference to a text in a wrapper", 'app.get("/", []() -> std::reference_wrapper<int> { return one; });',
          'app.get("/", []() -> int { return one; });', RESULT, "inline int one = 1;"),
    Wrong("a class without a conversion", 'app.get("/", [] { return Opaque(); });',
          'app.get("/", [] { return Clear(); });', RESULT,
          "class Opaque { int x = 1; }; struct Clear { Response into_response(const Request&) && { return Response(); } };"),
    Wrong("a string_view", 'app.get("/", [](Request& r) { return r.path(); });',
          'app.get("/", [](Request& r) { return std::string(r.path()); });', VIEW),
    Wrong("a string_view into a local", 'app.get("/", []() -> std::string_view { std::string s("a"); return s; });',
          'app.get("/", []() -> std::string { std::string s("a"); return s; });', VIEW),
    Wrong("a task of a string_view", 'app.get("/", []() -> Task<std::string_view> { co_return "a"; });',
          'app.get("/", []() -> Task<std::string> { co_return "a"; });', VIEW),
    Wrong("an optional string_view", 'app.get("/", []() -> std::optional<std::string_view> { return "a"; });',
          'app.get("/", []() -> std::optional<std::string> { return "a"; });', VIEW),
    Wrong("a task of an optional string_view",
          'app.get("/", []() -> Task<std::optional<std::string_view>> { co_return "a"; });',
          'app.get("/", []() -> Task<std::optional<StaticText>> { co_return "a"; });', VIEW),
    Wrong("an expected string_view", 'app.get("/", []() -> std::expected<std::string_view, Problem> { return "a"; });',
          'app.get("/", []() -> std::expected<std::string, Problem> { return "a"; });', VIEW),
    Wrong("a string_view as the error",
          'app.get("/", []() -> std::expected<int, std::string_view> { return std::unexpected("a"); });',
          'app.get("/", []() -> std::expected<int, std::string> { return std::unexpected("a"); });', VIEW),
    Wrong("a variant with a string_view",
          'app.get("/", []() -> std::variant<Status, std::string_view> { return Status::ok; });',
          'app.get("/", []() -> std::variant<Status, std::string> { return Status::ok; });', VIEW),
    Wrong("a JSON value that is a string_view", 'app.get("/", [](Request& r) { return Json(r.path()); });',
          'app.get("/", [](Request& r) { return Json(std::string(r.path())); });', VIEW),
    Wrong("a created string_view", 'app.post("/", [](Request& r) { return Created(r.path()); });',
          'app.post("/", [](Request& r) { return Created(std::string(r.path())); });', VIEW),
    Wrong("a span of characters", 'app.get("/", []() -> std::span<const char> { return {}; });',
          'app.get("/", []() -> std::vector<int> { return {}; });', VIEW),
    Wrong("a pointer to characters that change", 'app.get("/", []() -> char* { return buffer; });',
          'app.get("/", []() -> StaticText { return "constant"; });', VIEW, "inline char buffer[8];"),
    Wrong("a result with a member without a JSON form", 'app.get("/", [] { return Unreadable(); });',
          'app.get("/", [] { return Readable(); });', UNWRITABLE),
    Wrong("such a member of an inner struct", 'app.get("/", [] { return Deep(); });',
          'app.get("/", [] { return Outer(); });', UNWRITABLE,
          "struct Middle { int a; Unreadable wrong; }; struct Deep { std::vector<Middle> all; };"),
    Wrong("a result with 65 members", 'app.get("/", [] { return Names(); });', 'app.get("/", [] { return Fewer(); });',
          MEMBERS, NAMES + FEWER),
    Wrong("a reference to a parameter", 'app.get("/{a}", [](Path<std::string> a) -> const std::string& { return *a; });',
          'app.get("/{a}", [](Path<std::string> a) -> std::string { return *a; });', REFERENCE),
    Wrong("a reference to a struct", 'app.get("/", [](State<Shared> s) -> const Shared& { return *s; });',
          'app.get("/", [](State<Shared> s) -> Shared { return *s; });', REFERENCE),
]

READING = [
    Wrong("a query's member that cannot be read from text", 'app.get("/", [](Query<Unreadable>) { return ""; });',
          'app.get("/", [](Query<Readable>) { return ""; });', TEXT),
    Wrong("a query's member that is a view", 'app.get("/", [](Query<Search>) { return ""; });',
          'app.get("/", [](Query<Find>) { return ""; });', TEXT,
          "struct Search { std::string_view q; }; struct Find { std::string q; };"),
    Wrong("a query that is not a struct", 'app.get("/", [](Query<int>) { return ""; });',
          'app.get("/", [](Query<Readable>) { return ""; });', FIELDS),
    Wrong("a form's member that is a struct", 'app.post("/", [](Form<Nested>) { return ""; });',
          'app.post("/", [](Form<Flat>) { return ""; });', TEXT,
          "struct Nested { Readable inner; }; struct Flat { std::vector<int> inner; };"),
    Wrong("a query with 65 members", 'app.get("/", [](Query<Names>) { return ""; });',
          'app.get("/", [](Query<Fewer>) { return ""; });', MEMBERS, NAMES + FEWER),
    Wrong("a path parameter that cannot be read from text", 'app.get("/{a}", [](Path<Unreadable>) { return ""; });',
          'app.get("/{a}", [](Path<double>) { return ""; });', TEXT),
    Wrong("a path parameter that is a view", 'app.get("/{a}", [](Path<std::string_view>) { return ""; });',
          'app.get("/{a}", [](Path<std::string>) { return ""; });', TEXT),
    Wrong("a field that cannot be read from text", 'app.get("/", [](Header<"x", void*>) { return ""; });',
          'app.get("/", [](Header<"x", int>) { return ""; });', TEXT),
    Wrong("a cookie that cannot be read from text", 'app.get("/", [](Cookie<"x", Readable>) { return ""; });',
          'app.get("/", [](Cookie<"x", std::optional<int>>) { return ""; });', TEXT),
    Wrong("a JSON body with a member that cannot be read", 'app.post("/", [](Json<Unreadable>) { return ""; });',
          'app.post("/", [](Json<Readable>) { return ""; });', UNREADABLE),
    Wrong("a JSON body with a view", 'app.post("/", [](Json<Search>) { return ""; });',
          'app.post("/", [](Json<Find>) { return ""; });', UNREADABLE,
          "struct Search { std::string_view q; }; struct Find { std::string q; };"),
    Wrong("a JSON body with such a member of an inner struct", 'app.post("/", [](Json<Deep>) { return ""; });',
          'app.post("/", [](Json<Outer>) { return ""; });', UNREADABLE,
          "struct Middle { int a; Unreadable wrong; }; struct Deep { std::vector<Middle> all; };"),
    Wrong("a JSON body with 65 members", 'app.post("/", [](Json<Names>) { return ""; });',
          'app.post("/", [](Json<Fewer>) { return ""; });', MEMBERS, NAMES + FEWER),
    Wrong("a JSON body without a default constructor", 'app.post("/", [](Json<Strict>) { return ""; });',
          'app.post("/", [](Json<Readable>) { return ""; });', UNREADABLE,
          "class Whole { public: explicit Whole(int) {} }; struct Strict { Whole whole; };"),
    Wrong("a rule for another type", "Checked<Readable, rules::Range<1, 2>> wrong;", "Ranged<int, 1, 2> right = 1;", RULE),
    Wrong("a check() with another result", 'app.post("/", [](Json<Wrongly>) { return ""; });',
          'app.post("/", [](Json<Rightly>) { return ""; });', CHECK,
          "struct Wrongly { int a; bool check() const { return a > 0; } };"
          "struct Rightly { int a; std::optional<Invalid> check() const { return {}; } };"),
    Wrong("a pattern that is none", 'auto value = from_json<Wrongly>("{}");', 'auto value = from_json<Rightly>("{}");',
          "a ( of the pattern has no )",
          'struct Wrongly { Pattern<"(a"> a; }; struct Rightly { Pattern<"(a)"> a; };'),
    Wrong("a setting of another type", 'auto all = Program().settings<Wrongly>("a");',
          'auto all = Program().settings<Rightly>("a");', SETTING,
          "struct Wrongly { std::function<void()> a; }; struct Rightly { int a = 0; };"),
    Wrong("a description of no member", 'auto all = Program().settings<Wrongly>("a");',
          'auto all = Program().settings<Rightly>("a");', DESCRIPTION,
          'struct Wrongly { int a = 0; static constexpr Described descriptions[] = {{"b", "c"}}; };'
          'struct Rightly { int a = 0; static constexpr Described descriptions[] = {{"a", "c"}}; };'),
    Wrong("from_json to a type that cannot be read", 'auto value = from_json<Unreadable>("{}");',
          'auto value = from_json<Readable>("{}");', UNREADABLE),
    Wrong("to_json of a type without a JSON form", "auto value = to_json(Unreadable());",
          "auto value = to_json(Readable());", UNWRITABLE),
]

APP = [
    Wrong("a pattern with fewer parameters than the handler takes",
          'app.get("/{a}", [](Path<int>, Path<int>) { return ""; });', 'app.get("/{a}", [](Path<int>) { return ""; });',
          "the_handler_takes_more_path_parameters_than_the_pattern_has", note=True),
    Wrong("a pattern with more parameters than the handler takes",
          'app.get("/{a}/{b}", [](Path<int>) { return ""; });', 'app.get("/{a}/{b}", [] { return ""; });',
          "the_handler_takes_fewer_path_parameters_than_the_pattern_has", note=True),
    Wrong("a malformed pattern", 'app.get("/{a", [] { return ""; });', 'app.get("/a", [] { return ""; });',
          "the_pattern_is_malformed", note=True),
    Wrong("a pattern that does not begin with a slash", 'app.get("a", [] { return ""; });',
          'app.get("/a", [] { return ""; });', "the_pattern_must_begin_with_a_slash", note=True),
    Wrong("a parameter with a colon, as in Express", 'app.get("/a/:id", [](Path<int> id) { return *id; });',
          'app.get("/a/{id}", [](Path<int> id) { return *id; });', IN_BRACES, note=True),
    Wrong("a parameter in angle brackets, as in Flask", 'app.get("/a/<id>", [](Request&) { return ""; });',
          'app.get("/a/b:c", [](Request&) { return ""; });', IN_BRACES, note=True),
    Wrong("a wildcard with an asterisk", 'app.get("/a/*", [](Request&) { return ""; });',
          'app.get("/a/{rest...}", [](Request&) { return ""; });', IN_BRACES, note=True),
    Wrong("a pattern that is composed at run time", 'app.get(text, [] { return ""; });',
          'app.get(runtime_pattern(text), [] { return ""; });', "constant expression"),
    Wrong("middleware without next", "app.use([](Request&) -> Task<Response> { co_return Response(); });",
          "app.use([](Request& r, Next next) -> Task<Response> { co_return co_await next(r); });", MIDDLEWARE),
    Wrong("middleware that is not a coroutine", "app.use([](Request&, Next) { return Response(); });",
          "app.use([](Request&, Next) -> Task<Response> { co_return Response(); });", MIDDLEWARE),
    Wrong("middleware without a result", "app.use([](Request& r, Next next) -> Task<> { co_await next(r); });",
          "app.use([](Request& r, Next next) -> Task<Response> { co_return co_await next(r); });", MIDDLEWARE),
    Wrong("middleware that takes next by reference",
          "app.use([](Request& r, Next& next) -> Task<Response> { co_return co_await next(r); });",
          "app.use([](Request& r, const Next& next) -> Task<Response> { co_return co_await next(r); });", MIDDLEWARE),
    Wrong("middleware that is not a function", "app.use(5);", "app.use(request_id());", MIDDLEWARE),
    Wrong("middleware of a group that takes the wrong request",
          'app.group("/a").use([](int, Next) -> Task<Response> { co_return Response(); });',
          'app.group("/a").use([](Request&, Next) -> Task<Response> { co_return Response(); });', MIDDLEWARE),
    Wrong("an error function without parameters", 'app.on_error([] { return ""; });',
          'app.on_error([](const std::exception&) { return ""; });', ON_ERROR),
    Wrong("an error function that changes the exception", 'app.on_error([](std::exception&) { return ""; });',
          'app.on_error([](const std::exception&, const Request&) { return ""; });', ON_ERROR),
    Wrong("an error function of any exception", 'app.on_error([](const auto& e) { return ""; });',
          'app.on_error([](const std::exception& e) { return ""; });', ON_ERROR),
    Wrong("an error function that returns a view",
          "app.on_error([](const std::exception& e) { return std::string_view(e.what()); });",
          "app.on_error([](const std::exception& e) { return std::string(e.what()); });", VIEW),
    Wrong("state that cannot be moved", "app.state(Pinned());", "app.state<Pinned>();",
          "this type cannot be moved into the app: construct it there, with app.state<T>(args...)"),
    Wrong("state that cannot be constructed", "app.state<Pinned>(std::string());", "app.state<Pinned>(5);",
          "app.state<T>(args...) constructs a T from the arguments, and T has no such constructor"),
    Wrong("state that is modified", 'app.get("/", [](State<Shared> s) { s->value = 1; });',
          'app.get("/", [](State<Shared> s) { return s->value; });', "const|read-only"),
    Wrong("state whose function modifies it", 'app.get("/", [](State<Shared> s) { s->add(); });',
          'app.get("/", [](State<Shared> s) { return s->count(); });', "const"),
    Wrong("a WebSocket route without a WebSocket", 'app.ws("/", [](Request&) -> Task<> { co_return; });',
          'app.ws("/", [](WebSocket&) -> Task<> { co_return; });', "a handler of ws() has a parameter WebSocket&"),
    Wrong("a WebSocket route that takes a body", 'app.ws("/", [](WebSocket&, Json<Readable>) -> Task<> { co_return; });',
          'app.ws("/", [](WebSocket&, Query<Readable>) -> Task<> { co_return; });',
          "a handler of ws() takes no Request& and no body"),
    Wrong("a WebSocket route that is not a coroutine", 'app.ws("/", [](WebSocket&) {});',
          'app.ws("/", [](WebSocket&) -> Task<> { co_return; });',
          "a handler that takes an event stream or a WebSocket is a coroutine Task<>"),
    Wrong("an event stream by value", 'app.get("/", [](EventStream) -> Task<> { co_return; });',
          'app.get("/", [](EventStream&) -> Task<> { co_return; });', TAKES_OVER, note=True),
    Wrong("an event stream whose handler returns text", 'app.get("/", [](EventStream&) { return ""; });',
          'app.get("/", [](EventStream&) -> Task<> { co_return; });',
          "a handler that takes an event stream or a WebSocket is a coroutine Task<>"),
    Wrong("a streamed body by a plain function", 'auto response = stream("text/plain", [](BodyWriter&) {});',
          'auto response = stream("text/plain", [](BodyWriter&) -> Task<> { co_return; });',
          "http::stream takes a coroutine Task<> (BodyWriter& out, args...)"),
    Wrong("a streamed body without a writer", 'auto response = stream("text/plain", []() -> Task<> { co_return; });',
          'auto response = stream("text/plain", [](BodyWriter&) -> Task<> { co_return; });',
          "http::stream takes a coroutine Task<> (BodyWriter& out, args...)"),
    Wrong("text of unknown lifetime that is kept without a copy", "auto response = Response::fixed(text);",
          'auto response = Response::fixed("text");', "constant expression"),
    Wrong("static text of unknown lifetime", "StaticText kept = text;", 'StaticText kept = "text";',
          "constant expression"),
    Wrong("a size in bytes that overflows", "auto size = 17179869184_GiB;", "auto size = 17179869183_GiB;",
          "constant expression"),
    Wrong("a copy of a response", "Response one; Response two = one;", "Response one; Response two = std::move(one);",
          "deleted"),
]

ORDERS = 'const auto orders = app.metrics().counter("orders_total", "Orders.", {"kind", "state"}); '
METRICS = [
    Wrong("a label without a value", 'orders.with("book").add();', 'orders.with("book", "paid").add();', EACH_LABEL),
    Wrong("one value too many", 'orders.with("book", "paid", "ann").add();', 'orders.with("book", "paid").add();',
          EACH_LABEL),
    Wrong("a number as the value of a label", 'orders.with("book", number).add();',
          'orders.with("book", std::to_string(number)).add();', LABEL_TEXT),
]
METRICS = [wrong._replace(bad=ORDERS + wrong.bad, good=ORDERS + wrong.good) for wrong in METRICS]

CHAPTERS = {
    "Handlers and their parameters": HANDLERS,
    "The body of a request": BODIES,
    "Results of handlers": RESULTS,
    "Types that are read and written": READING,
    "The app": APP,
    "Metrics": METRICS,
}
