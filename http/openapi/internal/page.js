"use strict";
// Shows an OpenAPI 3.1 document. All texts of the document become text nodes, never markup; the page's policy forbids
// the browser to parse text as HTML. The requests of "Try it" are in try_it.js.

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const depthMax = 12;       // of a schema that is shown, and of an example
const exampleNodesMax = 200;
let api = {};              // the document
let operations = [];       // of the document, in its order

const find = id => document.getElementById(id);
const isObject = value => value !== null && typeof value === "object" && !Array.isArray(value);
const entries = value => isObject(value) ? Object.entries(value) : [];
const list = value => Array.isArray(value) ? value : [];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter(child => child !== null && child !== ""));
  return made;
}

// A disclosure whose content is made when it is opened for the first time: schemas that refer to each other would
// otherwise become very large.
function disclosure(attributes, summary, content) {
  const made = element("details", attributes, summary);
  const fill = () => { if (made.childElementCount === 1) made.append(content()); };
  made.addEventListener("toggle", () => { if (made.open) fill(); });
  if (made.open) fill();
  return made;
}

function prose(text) {
  return String(text ?? "").split(/\n{2,}/).filter(part => part.trim()).map(part => element("p", {}, part.trim()));
}

// ---- references ----

// Returns [value, name]: what `value` refers to in the end, and the last part of the reference; {} for one that leads
// nowhere, out of the document, or in a circle.
function resolve(value) {
  let name = "";
  for (let steps = 0; isObject(value) && typeof value.$ref === "string"; ++steps) {
    if (steps === 32 || !value.$ref.startsWith("#/")) return [{}, name || value.$ref];
    const path = value.$ref.slice(2).split("/").map(part => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    name = path.at(-1);
    value = path.reduce((place, part) => isObject(place) && Object.hasOwn(place, part) ? place[part] : undefined, api);
  }
  return [value === true || value === undefined ? {} : value, name];
}
const target = value => { const [found] = resolve(value); return isObject(found) ? found : {}; };

// ---- schemas ----

const json = value => JSON.stringify(value);

function typeOf(schema) {
  const [found, name] = resolve(schema);
  if (found === false) return "nothing";
  if (name) return name;
  const choices = found.oneOf ?? found.anyOf;
  if (choices) return list(choices).map(typeOf).join(" or ");
  if (found.allOf) return list(found.allOf).map(typeOf).join(" and ");
  const type = [found.type ?? (found.properties ? "object" : found.enum ? "" : "any value")].flat().join(" or ");
  if (type === "array" && found.prefixItems) return `array of (${list(found.prefixItems).map(typeOf).join(", ")})`;
  if (found.items && type.startsWith("array")) return type.replace("array", `array of ${typeOf(found.items)}`);
  if (type === "object" && isObject(found.additionalProperties)) return `map of ${typeOf(found.additionalProperties)}`;
  return type + (found.format ? ` (${found.format})` : "");
}

function range(least, most, what) {
  if (least !== undefined && least === most) return [`${what}${least}`];
  if (least !== undefined && most !== undefined) return [`${what}${least} to ${most}`];
  if (least !== undefined) return [`${what}at least ${least}`];
  return most !== undefined ? [`${what}at most ${most}`] : [];
}

// The rules of a schema, each as a short text.
function rulesOf(schema) {
  const found = target(schema);
  const rules = [...range(found.minimum, found.maximum, ""), ...range(found.minLength, found.maxLength, "length "),
    ...range(found.minItems, found.maxItems, "items: "),
    ...range(found.minProperties, found.maxProperties, "members: ")];
  if (found.exclusiveMinimum !== undefined) rules.push(`above ${found.exclusiveMinimum}`);
  if (found.exclusiveMaximum !== undefined) rules.push(`below ${found.exclusiveMaximum}`);
  if (found.multipleOf !== undefined) rules.push(`a multiple of ${found.multipleOf}`);
  if (found.pattern !== undefined) rules.push(`matches ${found.pattern}`);
  if (found.uniqueItems) rules.push("no item twice");
  if (found.const !== undefined) rules.push(`always ${json(found.const)}`);
  if (Array.isArray(found.enum)) rules.push(`one of ${found.enum.map(json).join(", ")}`);
  if (found.default !== undefined) rules.push(`default ${json(found.default)}`);
  return rules;
}

// What a schema is made of: [label, schema, is required].
function partsOf(found) {
  const required = list(found.required);
  const parts = entries(found.properties).map(([name, part]) => [name, part, required.includes(name)]);
  if (isObject(found.additionalProperties)) parts.push(["any name", found.additionalProperties, false]);
  if (found.items) parts.push(["each item", found.items, false]);
  list(found.prefixItems).forEach((part, i) => parts.push([`item ${i + 1}`, part, true]));
  for (const word of ["oneOf", "anyOf", "allOf"]) {
    const label = word === "allOf" ? "part" : "choice";
    list(found[word]).forEach((part, i) => parts.push([`${label} ${i + 1}`, part, false]));
  }
  return parts;
}

function schemaLine(label, schema, required) {
  const found = target(schema);
  return [label && element("code", {class: "name"}, label), element("span", {class: "type"}, typeOf(schema)),
    required ? element("span", {class: "required"}, "required") : null,
    ...rulesOf(schema).map(rule => element("span", {class: "rule"}, rule)),
    found.description ? element("span", {class: "note"}, found.description) : null].filter(Boolean);
}

// The parts of a schema as a list. `above` has the names of the schemas that contain it.
function schemaParts(schema, above) {
  const [found, name] = resolve(schema);
  const within = name ? [...above, name] : above;
  return element("ul", {class: "schema"}, ...partsOf(target(found)).map(([label, part, required]) => {
    const line = schemaLine(label, part, required);
    const [inner, innerName] = resolve(part);
    const recursive = innerName && within.includes(innerName);
    if (recursive) line.push(element("span", {class: "note"}, "recursive: see above"));
    const ends = recursive || within.length >= depthMax || partsOf(target(inner)).length === 0;
    if (ends) return element("li", {}, ...line);
    const path = innerName ? within : [...within, ""];
    return element("li", {}, disclosure({}, element("summary", {}, ...line), () => schemaParts(part, path)));
  }));
}

function schemaTree(schema) {
  const parts = partsOf(target(schema)).length ? schemaParts(schema, []) : null;
  return element("div", {}, element("p", {class: "line"}, ...schemaLine("", schema, false)), parts);
}

// ---- examples ----

const textOfFormat = {date: "2026-01-31", "date-time": "2026-01-31T12:00:00Z", email: "ann@example.com",
  uuid: "123e4567-e89b-42d3-a456-426614174000", uri: "https://example.com/", "uri-reference": "/"};

function exampleOf(schema, depth = 0, budget = {nodes: exampleNodesMax}) {
  const found = target(schema);
  if (found.example !== undefined) return found.example;
  if (list(found.examples).length) return found.examples[0];
  if (found.default !== undefined) return found.default;
  if (found.const !== undefined) return found.const;
  if (list(found.enum).length) return found.enum[0];
  if (--budget.nodes < 0 || depth > depthMax) return null;
  const inner = part => exampleOf(part, depth + 1, budget);
  const choices = list(found.oneOf ?? found.anyOf).filter(part => target(part).type !== "null");
  if (choices.length) return inner(choices[0]);
  if (list(found.allOf).length) return Object.assign({}, ...found.allOf.map(inner).filter(isObject));
  const type = [found.type].flat().find(one => one !== "null") ?? (found.properties ? "object" : undefined);
  if (type === "object") {
    const wanted = entries(found.properties).filter(([name]) => depth < 2 || list(found.required).includes(name));
    return Object.fromEntries(wanted.map(([name, part]) => [name, inner(part)]));
  }
  if (type === "array") {
    if (found.prefixItems) return list(found.prefixItems).map(inner);
    const length = depth > 4 ? 0 : Math.min(Math.max(found.minItems ?? 1, 1), 10);
    return Array.from({length}, () => inner(found.items));
  }
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return found.minimum ?? (found.exclusiveMinimum ?? -1) + 1;
  if (type === "string") return textOfFormat[found.format] ?? "text".padEnd(Math.min(found.minLength ?? 0, 100), "x")
    .slice(0, found.maxLength);
  return null;
}

// The examples of a media type or a parameter, as [name, text]; one made from the schema if the document has none.
function examplesOf(media) {
  const text = value => typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const named = entries(media.examples).map(([name, example]) => [name, text(target(example).value ?? "")]);
  if (media.example !== undefined) named.unshift(["Example", text(media.example)]);
  return named.length ? named : [["Example, made from the schema", text(exampleOf(media.schema))]];
}

// ---- an operation ----

function parametersOf(operation) {
  const all = new Map();  // those of the operation replace those of its path
  for (const one of [...list(operation.item.parameters), ...list(operation.parameters)]) {
    const parameter = target(one);
    all.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...all.values()];
}

// The requirements of an operation: a list of alternatives. Each has the names of schemes, with the scopes and roles that
// the credentials need.
const requirementsOf = operation => list(operation.security ?? api.security);
const securityOf = operation => requirementsOf(operation).map(one => Object.keys(one));
const schemes = () => new Map(entries(api.components?.securitySchemes).map(([name, scheme]) => [name, target(scheme)]));

function schemeText(scheme) {
  if (scheme.type === "apiKey") return `the ${scheme.in === "header" ? "header field" : scheme.in} ${scheme.name}`;
  if (scheme.type !== "http") return String(scheme.type);
  return scheme.scheme === "basic" ? "a user name and a password (Basic)"
    : `a token (${scheme.scheme}${scheme.bearerFormat ? ", " + scheme.bearerFormat : ""})`;
}

function securityText(operation) {
  const known = schemes();
  const text = ([name, needed]) =>
    schemeText(known.get(name) ?? {type: name}) + (list(needed).length ? ` for ${list(needed).join(", ")}` : "");
  const all = requirementsOf(operation).map(one => entries(one).map(text).join(" and "));
  return all.map(text => text || "no credentials").join(", or ");
}

const hasExamples = (type, media) => /json/.test(type) || media.example !== undefined || media.examples !== undefined;

function contentBlock(content) {
  const example = ([name, text]) =>
    disclosure({class: "example"}, element("summary", {}, name), () => element("pre", {tabindex: "0"}, text));
  return entries(content).map(([type, media]) => element("div", {class: "media"},
    element("p", {class: "line"}, element("code", {}, type)), schemaTree(media.schema),
    ...(hasExamples(type, media) ? examplesOf(media) : []).map(example)));
}

function parameterTable(parameters) {
  const row = parameter => element("tr", {},
    element("th", {scope: "row"}, element("code", {}, parameter.name)), element("td", {}, parameter.in),
    element("td", {}, ...schemaLine("", parameter.schema, parameter.required),
      parameter.description ? element("span", {class: "note"}, parameter.description) : null,
      parameter.example !== undefined ? element("span", {class: "rule"}, `example ${json(parameter.example)}`) : null));
  const heads = ["Name", "In", "Type and rules"].map(text => element("th", {scope: "col"}, text));
  return element("div", {class: "wide"}, element("table", {class: "parameters"},
    element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...parameters.map(row))));
}

function headerLine([name, reference]) {
  const header = target(reference);
  return element("p", {class: "line"}, element("code", {class: "name"}, name), ...schemaLine("", header.schema, false),
    header.description ? element("span", {class: "note"}, header.description) : null);
}

function responseBlock([status, reference]) {
  const response = target(reference);
  const parts = () => [...entries(response.headers).map(headerLine), ...contentBlock(response.content)];
  const text = ` ${reference.description ?? response.description ?? ""}`;
  return disclosure({class: "response"}, element("summary", {}, element("code", {}, status), text), () => {
    const shown = parts();
    return element("div", {}, ...(shown.length ? shown : [element("p", {class: "note"}, "No body.")]));
  });
}

function operationBody(operation) {
  const parameters = parametersOf(operation);
  const body = target(operation.requestBody);
  const heading = text => element("h4", {}, text);
  const security = securityText(operation);
  const made = element("div", {class: "body"}, ...prose(operation.description));
  if (operation.deprecated) made.append(element("p", {class: "warning"}, "This operation is deprecated."));
  const tags = list(operation.tags).slice(1);
  if (tags.length) made.append(element("p", {class: "note"}, `Also tagged: ${tags.join(", ")}`));
  if (security) made.append(element("p", {class: "security"}, `Requires ${security}.`));
  if (parameters.length) made.append(heading("Parameters"), parameterTable(parameters));
  if (operation.requestBody) {
    made.append(heading(body.required ? "Request body (required)" : "Request body"), ...prose(body.description),
      ...contentBlock(body.content));
  }
  made.append(heading("Responses"), ...entries(operation.responses).map(responseBlock));
  made.append(heading("Try it"), tryIt(operation, parameters, body));
  return made;
}

const methodLabel = ({method}) => element("span", {class: `method ${method}`}, method.toUpperCase());

function operationBlock(operation) {
  const name = element("h3", {}, methodLabel(operation), " ", element("code", {class: "path"}, operation.path));
  const summary = element("summary", {}, name, element("span", {class: "about"}, operation.summary ?? ""),
    operation.deprecated ? element("span", {class: "required"}, "deprecated") : null);
  operation.block = disclosure({class: "operation", id: operation.id}, summary, () => operationBody(operation));
  operation.block.addEventListener("toggle", () => {
    if (operation.block.open) history.replaceState(null, "", `#${encodeURIComponent(operation.id)}`);
  });
  return operation.block;
}

// ---- the page ----

function collectOperations() {
  const ids = new Set();
  for (const [path, item] of entries(api.paths)) {
    for (const method of methods.filter(method => isObject(item[method]))) {
      const made = {...item[method], method, path, item};
      made.id = `operation-${made.operationId ?? `${method}${path}`}`;
      while (ids.has(made.id)) made.id += "_";
      ids.add(made.id);
      const words = [method, path, made.summary, made.description, made.operationId, ...list(made.tags)];
      made.words = words.join(" ").toLowerCase();
      operations.push(made);
    }
  }
}

function groups() {
  const all = new Map(list(api.tags).map(tag => [tag.name, {about: tag.description, members: []}]));
  for (const operation of operations) {
    const tag = list(operation.tags)[0] ?? "Other operations";
    if (!all.has(tag)) all.set(tag, {members: []});
    all.get(tag).members.push(operation);
  }
  return [...all].filter(([, group]) => group.members.length);
}

function drawOperations() {
  groups().forEach(([tag, group], i) => {
    const title = `tag-title-${i}`;
    group.section = element("section", {"aria-labelledby": title}, element("h2", {id: title}, tag),
      ...prose(group.about), ...group.members.map(operationBlock));
    const links = group.members.map(operation => operation.link = element("li", {},
      element("a", {href: `#${encodeURIComponent(operation.id)}`}, methodLabel(operation), " ",
        operation.summary || operation.path)));
    group.list = element("div", {}, element("h2", {}, tag), element("ul", {}, ...links));
    for (const operation of group.members) operation.group = group;
    find("operations").append(group.section);
    find("contents").append(group.list);
  });
}

function search() {
  const words = find("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = operations.filter(operation => words.every(word => operation.words.includes(word)));
  const shown = new Set(fits);
  for (const operation of operations) operation.block.hidden = operation.link.hidden = !shown.has(operation);
  for (const {group} of operations) {
    group.section.hidden = group.list.hidden = !group.members.some(one => shown.has(one));
  }
  find("found").textContent = words.length ? `${fits.length} of ${operations.length} operations` : "";
  return fits;
}

function show(block) {
  block.open = true;
  block.scrollIntoView();
  block.querySelector("summary").focus({preventScroll: true});
}

function followLink() {
  let id = "";
  try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }  // a malformed escape: no link of ours
  const block = find(id);
  if (!block?.matches("details")) return;
  if (block.hidden || block.closest("[hidden]")) { find("search").value = ""; search(); }
  show(block);
}

function listenToKeys() {
  const field = find("search");
  field.addEventListener("input", search);
  field.addEventListener("keydown", event => {
    if (event.key === "Escape") { field.value = ""; search(); }
    if (event.key !== "Enter" || !search().length) return;
    event.preventDefault();  // the key would close the operation, which now has the focus
    show(search()[0].block);
  });
  document.addEventListener("keydown", event => {
    const typing = event.target.closest("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  addEventListener("hashchange", followLink);
}

function draw() {
  const info = target(api.info);
  document.title = find("title").textContent = info.title ?? "API";
  find("version").textContent = `Version ${info.version ?? "unknown"}, OpenAPI ${api.openapi ?? "unknown"}`;
  find("summary").textContent = info.summary ?? "";
  find("description").append(...prose(info.description));
  collectOperations();
  drawOperations();
  drawCredentials();
  const named = entries(api.components?.schemas);
  find("schemas").hidden = named.length === 0;
  find("schemas").append(...named.map(([name]) => disclosure({id: `schema-${name}`}, element("summary", {},
    element("h3", {}, element("code", {}, name))), () => schemaTree({$ref: "#/components/schemas/" +
      name.replaceAll("~", "~0").replaceAll("/", "~1")}))));
  listenToKeys();
  followLink();
  find("state").hidden = true;
}

const documentUrl = new URL(document.querySelector("meta[name=openapi]").content, location.href);

async function start() {
  find("source").href = documentUrl.href;
  let attempt = "read";
  try {
    const response = await fetch(documentUrl, {headers: {accept: "application/json"}, cache: "no-cache"});
    if (!response.ok) throw new Error(`the server responded with ${response.status}`);
    api = await response.json();
    if (!isObject(api)) throw new Error("it is not an object");
    attempt = "shown";
    draw();
  } catch (error) {
    find("state").textContent = `The document ${documentUrl.pathname} cannot be ${attempt}: ${error.message}.`;
    find("state").hidden = false;
  }
}
// The scripts are one: the rest of it must have run before the page is drawn.
queueMicrotask(start);
