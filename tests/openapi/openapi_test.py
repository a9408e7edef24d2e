#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the OpenAPI documents of the programs conform to OpenAPI 3.1, and that crud's is the reviewed document.

Usage: openapi_test.py DOCUMENTS ROOT [--write]; DOCUMENTS is bin/openapi_documents. With --write, crud's document is
written to apps/crud/openapi.json, which is the reviewed document.
"""

import json
import pathlib
import re
import subprocess
import sys

METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
TYPES = {"null", "boolean", "integer", "number", "string", "array", "object"}
# The members that each kind of object may have (OpenAPI 3.1.0, section 4.8).
MEMBERS = {
    "document": {"openapi", "info", "servers", "paths", "components", "tags"},
    "info": {"title", "summary", "description", "version"},
    "operation": {"tags", "summary", "description", "operationId", "deprecated", "parameters", "requestBody", "responses",
                  "security"},
    "parameter": {"name", "in", "required", "schema"},
    "response": {"description", "headers", "content"},
    "schema": {"type", "format", "enum", "default", "minimum", "maximum", "minLength", "maxLength", "items", "prefixItems",
               "pattern", "multipleOf", "uniqueItems", "minItems", "maxItems", "properties", "required", "additionalProperties", "oneOf", "anyOf", "$ref"},
}


class Judge:
    """Collects the errors of a document."""

    def __init__(self, document):
        self.document = document
        self.wrong = []
        self.operation_ids = set()

    def want(self, holds, sentence):
        if not holds:
            self.wrong.append(sentence)

    def only(self, kind, value, where):
        unknown = set(value) - MEMBERS[kind]
        self.want(not unknown, f"{where}: {kind} has no {sorted(unknown)}")

    def resolve(self, reference, where):
        value = self.document
        for step in reference.removeprefix("#/").split("/"):
            value = value.get(step, {}) if isinstance(value, dict) else {}
        self.want(reference.startswith("#/") and value, f"{where}: {reference} does not exist")
        return value

    def schema(self, schema, where):
        if isinstance(schema, bool):
            return
        self.only("schema", schema, where)
        if "$ref" in schema:
            self.resolve(schema["$ref"], where)
        self.want(schema.get("type", "null") in TYPES, f"{where}: no type {schema.get('type')}")
        self.want(set(schema.get("required", [])) <= set(schema.get("properties", {})), f"{where}: required but no property")
        parts = [schema[word] for word in ("items", "additionalProperties") if word in schema]
        parts += [part for word in ("oneOf", "anyOf", "prefixItems") for part in schema.get(word, [])]
        for i, part in enumerate(parts + list(schema.get("properties", {}).values())):
            self.schema(part, f"{where}/{i}")
        for word in ("oneOf", "anyOf", "enum", "prefixItems"):
            self.want(schema.get(word, [0]), f"{where}: {word} is empty")

    def content(self, content, where):
        self.want(content, f"{where}: no media type")
        for media_type, media in content.items():
            self.want(re.fullmatch(r"[\w.+*-]+/[\w.+*-]+", media_type), f"{where}: {media_type} is not a media type")
            self.schema(media["schema"], where)

    def response(self, response, where):
        if "$ref" in response:
            self.want(set(response) <= {"$ref", "description", "summary"}, f"{where}: a reference has other members")
            self.resolve(response["$ref"], where)
            return
        self.only("response", response, where)
        self.want(isinstance(response.get("description"), str), f"{where}: no description")
        for header in response.get("headers", {}).values():
            self.schema(header["schema"], where)
        if "content" in response:
            self.content(response["content"], where)

    def parameters(self, path, operation, where):
        seen = set()
        for parameter in operation.get("parameters", []):
            self.only("parameter", parameter, where)
            self.want(parameter["in"] in {"path", "query", "header", "cookie"}, f"{where}: wrong in: {parameter['in']}")
            self.want(parameter["in"] != "path" or parameter.get("required"), f"{where}: an optional path parameter")
            self.schema(parameter["schema"], where)
            key = parameter["in"], parameter["name"]
            self.want(key not in seen, f"{where}: {key} is repeated")
            seen.add(key)
        of_path = {name for place, name in seen if place == "path"}
        self.want(of_path == set(re.findall(r"{(\w+)}", path)), f"{where}: parameters {of_path}, not the path's")

    def operation(self, path, operation, where):
        self.only("operation", operation, where)
        self.parameters(path, operation, where)
        identity = operation.get("operationId")
        self.want(identity and identity not in self.operation_ids, f"{where}: wrong operationId {identity}")
        self.operation_ids.add(identity)
        self.want(operation.get("responses"), f"{where}: no response")
        for status, response in operation["responses"].items():
            self.want(re.fullmatch(r"[1-5](\d\d|XX)|default", status), f"{where}: invalid status {status}")
            self.response(response, f"{where} {status}")
        if "requestBody" in operation:
            self.content(operation["requestBody"]["content"], where)
        schemes = self.document["components"].get("securitySchemes", {})
        for requirement in operation.get("security", []):
            self.want(set(requirement) <= set(schemes), f"{where}: unknown security scheme in {requirement}")
        names = {tag["name"] for tag in self.document.get("tags", [])}
        self.want(set(operation.get("tags", [])) <= names, f"{where}: a tag is not listed")

    def judge(self):
        self.only("document", self.document, "document")
        self.want(re.fullmatch(r"3\.1\.\d+", self.document["openapi"]), "the openapi version is not 3.1")
        self.only("info", self.document["info"], "info")
        self.want({"title", "version"} <= set(self.document["info"]), "info has no title or version")
        shapes = set()
        for path, item in self.document["paths"].items():
            self.want(path.startswith("/"), f"{path}: not a path")
            shape = re.sub(r"{\w+}", "{}", path)
            self.want(shape not in shapes, f"{path}: differs from another path only in parameter names")
            shapes.add(shape)
            self.want(set(item) <= set(METHODS), f"{path}: unknown method in {set(item)}")
            for method, operation in item.items():
                self.operation(path, operation, f"{method} {path}")
        for kind, components in self.document["components"].items():
            for name in components:
                self.want(re.fullmatch(r"[a-zA-Z0-9._-]+", name), f"{kind}: {name} is not a valid name")
        for name, schema in self.document["components"]["schemas"].items():
            self.schema(schema, name)
        for name, response in self.document["components"]["responses"].items():
            self.response(response, name)
        for name, scheme in self.document["components"].get("securitySchemes", {}).items():
            if scheme["type"] == "apiKey":
                self.want(scheme["in"] in {"query", "header", "cookie"} and scheme["name"], name)
            else:
                self.want(scheme["type"] == "http" and scheme["scheme"] in {"basic", "bearer"}, name)
        return self.wrong


def refuse_duplicates(pairs):
    """Rejects repeated members, of which json.loads() keeps only the last."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise AssertionError(f"a member is repeated: {[name for name, _ in pairs]}")
    return value


def judge_the_judge(document):
    """Checks that Judge finds each error that is put into a copy of a correct document."""
    text = json.dumps(document)
    for before, after in [('"#/components/schemas/Shapes"', '"#/components/schemas/Nobody"'),
                          ('"operationId": "events"', '"operationId": "get"'),
                          ('"name": "tenant", "in": "path"', '"name": "tenant", "in": "query"'),
                          ('"bearer": []', '"bear": []'), ('"type": "string"', '"type": "text"'),
                          ('"responses": {"200"', '"responses": {"20"')]:
        broken = text.replace(before, after, 1)
        assert broken != text and Judge(json.loads(broken)).judge(), f"Judge does not report {after}"


def main(program, root, *options):
    reviewed = pathlib.Path(root, "apps/crud/openapi.json")
    lines = subprocess.run([program], text=True, check=True, capture_output=True, timeout=60).stdout.splitlines()
    documents = {name: json.loads(text, object_pairs_hook=refuse_duplicates)
                 for name, text in (line.split(" ", 1) for line in lines)}
    wrong = [f"{name}: {sentence}" for name, document in documents.items() for sentence in Judge(document).judge()]
    judge_the_judge(documents["everything"])
    text = json.dumps(documents["crud"], indent=2) + "\n"
    if "--write" in options:
        reviewed.write_text(text)
    elif text != reviewed.read_text():
        wrong.append(f"crud: differs from the reviewed document; run with --write and review the changes of {reviewed}")
    print("\n".join(wrong) or f"{', '.join(documents)}: valid")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
