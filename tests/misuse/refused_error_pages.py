# SPDX-License-Identifier: MIT
"""Wrong pages of errors that the compiler refuses; beside each is a similar one that compiles."""

from refused_programs import SIGNATURE, Wrong

PROBLEM_REQUEST = (
    "the page of an error takes neither the body nor the path of a request, and not the Request: take "
    "From<ProblemDetails>, State<T>, From<T>, Header, Cookie or CsrfField"
)
PROBLEM_RESULT = (
    "the page of an error is a view, which is a struct with a template (http/html/template.h), or a Response with HTML; "
    "or a Task of one"
)

ERROR_PAGES = [
    Wrong("a page of an error that takes the request",
          "app.use(problem_pages([](From<ProblemDetails>, Request&) { return Response(); }));",
          "app.use(problem_pages([](From<ProblemDetails>) { return Response(); }));", PROBLEM_REQUEST),
    Wrong("a page of an error that takes a body",
          "app.use(problem_pages([](From<ProblemDetails>, Json<Readable>) { return Response(); }));",
          "app.use(problem_pages([](From<ProblemDetails>, State<Shared>) { return Response(); }));", PROBLEM_REQUEST),
    Wrong("a page of an error that is text, which would not be escaped",
          "app.use(problem_pages([](From<ProblemDetails> problem) { return problem->detail; }));",
          "app.use(problem_pages([](From<ProblemDetails> problem) { return Response::html(problem->title); }));",
          PROBLEM_RESULT),
    Wrong("a page of an error that is JSON",
          "app.use(problem_pages([](From<ProblemDetails>) { return Readable(); }));",
          "app.use(problem_pages([](From<ProblemDetails>) -> Task<Response> { co_return Response(); }));",
          PROBLEM_RESULT),
    Wrong("a page of an error that is not a function", "app.use(problem_pages(5));",
          "app.use(problem_pages([] { return Response(); }));", SIGNATURE),
]
