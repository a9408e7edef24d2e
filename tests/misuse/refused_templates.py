# SPDX-License-Identifier: MIT
"""Wrong templates of HTML pages (http/html/template.h); beside each is a similar one that compiles."""

from refused_programs import Wrong

IN_SCRIPT = (
    'a script may not contain {{ }}: write the value into <script type="application/json"> or an attribute data-..., '
    "where the script reads it"
)
TRUSTED_URL = "this address decides what the page runs or embeds: its value must be a volt::http::TrustedUrl"
CONDITION = "a condition is a bool, text, container, optional or pointer; compare a number: {{if count == 1}}"
NO_TEXT = (
    "this type has no text form: use a text, number, bool, enum with a fixed underlying type or a view with a template, "
    "or write std::string to_text(const T&) in the namespace of the type"
)


def view(template, name="View"):
    return (
        f"struct {name} {{ std::string title; bool on = false; int count = 0; enum class Ink {{ black, blue }}; "
        "Ink ink = Ink::blue; Readable one; std::vector<Readable> all; TrustedUrl url; FormFields<Readable> form; "
        f'static constexpr Template html = "{template}"; }};\n'
    )


def right(template):
    return view(template, "Right")


TEMPLATES = [
    Wrong("a misspelt member in a template, `{{titel}}`", 'auto shown = render_html(View());', 'auto shown = render_html(Right());',
          "the struct has no member of this name",
          view('{{if on}}<p title=\\"{{titel}}\\">{{end}}') + right('{{if on}}<p title=\\"{{title}}\\">{{end}}')),
    Wrong("a misspelt member of an element, `{{for one in all}}{{one.nmber}}`", 'auto shown = render_html(View());', 'auto shown = render_html(Right());',
          "the struct has no member of this name",
          view("{{for one in all}}{{one.nmber}}{{end}}") + right("{{for one in all}}{{one.number}}{{end}}")),
    Wrong("a misspelt field of a form, `{{form.nmber.error}}`", 'auto shown = render_html(View());', 'auto shown = render_html(Right());',
          "the struct has no member of this name",
          view("{{form.nmber.error}}") + right("{{form.number.error}}")),
    Wrong("a member of a text, `{{title.size}}`", 'auto shown = render_html(View());', 'auto shown = render_html(Right());',
          "only members of plain structs can be named", view("{{title.size}}") + right("{{title}}")),
    Wrong("a value in a script, `<script>var a = {{all}};`", 'app.get("/", [] { return View(); });', 'app.get("/", [] { return Right(); });',
          IN_SCRIPT, view("<script>var a = {{all}};</script>")
          + right('<script type=\\"application/json\\">{{all}}</script>')),
    Wrong("an attribute without quotes, `<p title={{title}}>`", 'auto shown = page(View());', 'auto shown = page(Right());',
          "put the value of the attribute between quotes", view("<p title={{title}}>")
          + right('<p title=\\"{{title}}\\">')),
    Wrong("a text as the address of a script, `<script src=\"{{title}}\">`", 'auto shown = page(View());', 'auto shown = page(Right());', TRUSTED_URL,
          view('<script src=\\"{{title}}\\"></script>') + right('<script src=\\"{{url}}\\"></script>')),
    Wrong("a block without its end, `{{if on}}`", 'auto shown = page(View());', 'auto shown = page(Right());',
          "this {{if}} or {{for}} has no {{end}}", view("{{if on}}") + right("{{if on}}{{end}}")),
    Wrong("an enumerator that does not exist, `{{if ink == 'bleu'}}`", 'auto shown = page(View());', 'auto shown = page(Right());',
          "the enum has no enumerator of this name", view("{{if ink == 'bleu'}}{{end}}")
          + right("{{if ink == 'blue'}}{{end}}")),
    Wrong("a number as a condition, `{{if count}}`", 'auto shown = page(View());', 'auto shown = page(Right());', CONDITION,
          view("{{if count}}{{end}}") + right("{{if count != 0}}{{end}}")),
    Wrong("a struct without a text form, `{{one}}`", 'auto shown = page(View());', 'auto shown = page(Right());', NO_TEXT,
          view("{{one}}") + right("{{one.number}}")),
    Wrong("a member of another struct than the form's", 'in.refuse(&Other::count, "is taken");',
          'in.refuse(&Readable::number, "is taken");', "no matching member function|no matching function",
          "inline FormInput<Readable> in({});"),
]
