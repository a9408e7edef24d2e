
// ---- Try it: sends requests of the operations to the page's own origin ----

const shownBytesMax = 4 * 2 ** 20;  // of a response's body
const given = new Map();            // name of a scheme: the fields with its credentials
let fieldsMade = 0;

// A control with its label: [block, read]. `read` returns the texts of the control: none if it is empty, and several if
// the schema is that of an array.
function field(name, schema, required) {
  const found = target(schema);
  const id = `field-${++fieldsMade}`;
  const isArray = [found.type].flat().includes("array");
  const words = found.enum ?? ([found.type].flat().includes("boolean") ? [true, false] : null);
  let control;
  if (words) {
    control = element("select", {id}, element("option", {value: ""}, ""),
      ...words.map(word => element("option", {value: String(word)}, String(word))));
  } else if (isArray) {
    control = element("textarea", {id, rows: "3", spellcheck: "false"});
  } else {
    control = element("input", {id, type: "text", autocomplete: "off", spellcheck: "false"});
    if (found.default !== undefined) control.placeholder = String(found.default);
  }
  const notes = [typeOf(schema), isArray ? "one value on each line" : "", required ? "required" : ""].filter(Boolean);
  const note = element("span", {class: "note"}, notes.join(", "));
  const label = element("label", {for: id}, element("code", {}, name), note);
  const read = () => {
    const texts = isArray ? control.value.split("\n") : [control.value];
    return texts.filter(text => text !== "");
  };
  return [element("div", {class: "field"}, label, control), read, control];
}

// ---- credentials ----

function drawCredentials() {
  const used = new Set(operations.flatMap(securityOf).flat());
  for (const [name, scheme] of schemes()) {
    if (!used.has(name)) continue;
    const box = element("fieldset", {}, element("legend", {}, schemeText(scheme)), ...prose(scheme.description));
    const add = (label, type) => {
      const [block, , control] = field(label, {}, false);
      control.type = type;
      block.querySelector(".note").remove();
      box.append(block);
      return control;
    };
    if (scheme.type === "http" && scheme.scheme === "basic") {
      given.set(name, {scheme, fields: [add("User name", "text"), add("Password", "password")]});
    } else if (scheme.type === "http" || (scheme.type === "apiKey" && scheme.in !== "cookie")) {
      given.set(name, {scheme, fields: [add(scheme.type === "http" ? "Token" : "Key", "password")]});
    } else if (scheme.in === "cookie") {
      box.append(element("p", {}, "The browser sends this cookie itself, once the server has set it."));
    } else {
      box.append(element("p", {}, "This page cannot send such credentials."));
    }
    find("credentials").append(box);
  }
  find("security").hidden = !find("credentials").childElementCount;
}

function addCredentials(operation, request) {
  const alternatives = securityOf(operation);
  const isGiven = name => given.get(name)?.fields.some(control => control.value !== "");
  const names = alternatives.find(one => one.length && one.every(isGiven)) ?? alternatives.flat().filter(isGiven);
  for (const name of names) {
    const {scheme, fields} = given.get(name);
    if (scheme.type === "apiKey" && scheme.in === "query") {
      request.url.searchParams.append(scheme.name, fields[0].value);
    } else if (scheme.type === "apiKey") {
      request.headers.push([scheme.name, fields[0].value]);
      request.secrets.push(scheme.name);
    } else if (scheme.scheme === "basic") {
      const bytes = new TextEncoder().encode(`${fields[0].value}:${fields[1].value}`);
      request.headers.push(["Authorization", `Basic ${btoa(String.fromCharCode(...bytes))}`]);
    } else {
      request.headers.push(["Authorization", `Bearer ${fields[0].value}`]);
    }
  }
}

// ---- the body of a request ----

// [block, read]: `read` returns what fetch() sends as the body.
function formFields(schema, isMultipart) {
  const found = target(schema);
  const required = list(found.required);
  const fields = entries(found.properties).map(([name, part]) =>
    [name, ...field(name, part, required.includes(name))]);
  const block = element("div", {}, ...fields.map(([, made]) => made));
  const more = [];
  if (isMultipart || fields.length === 0) {
    const addRow = () => {
      const [nameBlock, readName] = field("Name of a field", {}, false);
      const [textBlock, readText] = field("Its text", {}, false);
      const file = element("input", {type: "file", "aria-label": "Its file, instead of a text"});
      more.push(() => [readName()[0], isMultipart && file.files[0] ? file.files[0] : readText()[0] ?? ""]);
      button.before(element("div", {class: "row"}, nameBlock, textBlock, isMultipart ? file : null));
    };
    const button = element("button", {type: "button"}, "Add a field");
    button.addEventListener("click", addRow);
    block.append(button);
    addRow();
  }
  return [block, () => {
    const form = isMultipart ? new FormData() : new URLSearchParams();
    for (const [name, , read] of fields) for (const text of read()) form.append(name, text);
    for (const read of more) {
      const [name, value] = read();
      if (name) form.append(name, value);
    }
    return form;
  }];
}

function textBody(type, media) {
  const id = `field-${++fieldsMade}`;
  const text = hasExamples(type, media) ? examplesOf(media)[0][1] : "";
  const rows = Math.min(Math.max(text.split("\n").length, 3), 16);
  const area = element("textarea", {id, rows: String(rows), spellcheck: "false"});
  area.value = text;
  return [element("div", {class: "field"}, element("label", {for: id}, `Body (${type})`), area), () => area.value];
}

// [block, read]: `read` returns [media type, body]. The media type is chosen if there are several.
function bodyFields(body) {
  const all = entries(body.content);
  if (all.length === 0) return [null, () => null];
  const id = `field-${++fieldsMade}`;
  const kinds = all.map(([type, media]) => {
    const isMultipart = type === "multipart/form-data";
    const isForm = isMultipart || type === "application/x-www-form-urlencoded";
    const [block, read] = isForm ? formFields(media.schema, isMultipart) : textBody(type, media);
    return {type, block, read};
  });
  const choice = element("select", {id}, ...kinds.map(({type}, i) => element("option", {value: String(i)}, type)));
  const showChosen = () => kinds.forEach(({block}, i) => { block.hidden = i !== choice.selectedIndex; });
  choice.addEventListener("change", showChosen);
  showChosen();
  const label = element("div", {class: "field"}, element("label", {for: id}, "Media type of the body"), choice);
  label.hidden = kinds.length === 1;
  return [element("fieldset", {}, element("legend", {}, "Body"), label, ...kinds.map(({block}) => block)), () => {
    const {type, read} = kinds[choice.selectedIndex];
    return [type, read()];
  }];
}

// ---- requests ----

// The URL that paths are relative to: the first server of this origin. The page's policy forbids other origins.
function baseUrl() {
  for (const server of list(api.servers)) {
    try {
      const url = new URL(server.url, documentUrl);
      if (url.origin === location.origin) return url.href.replace(/\/$/, "");
    } catch { /* a URL with variables, or a malformed one: try the next */ }
  }
  return location.origin;
}

function composeRequest(operation, inputs, readFields) {
  let path = operation.path;
  const query = [];
  const headers = [];
  for (const [parameter, read] of inputs) {
    const texts = read();
    if (parameter.in === "path") {
      if (texts.length === 0) throw new Error(`the path needs a value for ${parameter.name}`);
      const text = texts.join(",");
      if (/^\.\.?$/.test(text)) throw new Error(`a URL cannot have ${text} as the value of ${parameter.name}`);
      path = path.replaceAll(`{${parameter.name}}`, () => encodeURIComponent(text));
    } else if (parameter.in === "query") {
      for (const text of texts) query.push([parameter.name, text]);
    } else if (texts.length) {
      headers.push([parameter.name, texts.join(", ")]);
    }
  }
  const request = {method: operation.method.toUpperCase(), url: new URL(baseUrl() + path), headers, secrets: []};
  for (const [name, text] of query) request.url.searchParams.append(name, text);
  const body = readFields();
  if (body && !["GET", "HEAD"].includes(request.method) && body[1] !== "") {
    request.body = body[1];
    const type = body[0] === "*/*" ? "application/octet-stream" : body[0];
    if (typeof body[1] === "string") request.headers.push(["Content-Type", type]);
  }
  addCredentials(operation, request);
  return request;
}

// The request as a command line, without the credentials' values.
function commandOf(request) {
  const quote = text => `'${text.replaceAll("'", `'\\''`)}'`;
  const words = ["curl", "-i", "-X", request.method, quote(request.url.href)];
  for (const [name, value] of request.headers) {
    const secret = name === "Authorization" || request.secrets.includes(name);
    words.push("-H", quote(`${name}: ${secret ? "..." : value}`));
  }
  if (request.body instanceof FormData) {
    for (const [name, value] of request.body) {
      words.push("-F", quote(`${name}=${value instanceof File ? "@" + value.name : value}`));
    }
  } else if (request.body !== undefined) {
    words.push("--data-raw", quote(String(request.body)));
  }
  return words.join(" ");
}

// ---- responses ----

// Indents JSON without a change of its tokens: numbers beyond 2^53 keep their digits. Other text stays as it is.
function indented(text) {
  try { JSON.parse(text); } catch { return text; }
  let made = "";
  let depth = 0;
  const line = () => "\n" + "  ".repeat(Math.min(depth, 40));
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    if (token === "}" || token === "]") {
      --depth;
      made = /[[{]\s*$/.test(made.slice(-100)) ? made.trimEnd() + token : made + line() + token;
    } else if (token === "{" || token === "[") {
      ++depth;
      made += token + line();
    } else {
      made += token === "," ? token + line() : token === ":" ? ": " : token;
    }
  }
  return made;
}

const milliseconds = since => `${(performance.now() - since).toFixed(0)} ms`;

async function readBody(response, since, status, output) {
  const type = response.headers.get("content-type") ?? "";
  const isText = /^text\/|json|xml|javascript|urlencoded/.test(type);
  const decoder = new TextDecoder();
  const chunks = [];
  let bytes = 0;
  let text = "";
  const reader = response.body?.getReader();
  for (let part; reader && bytes <= shownBytesMax && !(part = await reader.read()).done;) {
    chunks.push(part.value);
    bytes += part.value.length;
    if (isText) output.textContent = text += decoder.decode(part.value, {stream: true});
  }
  const cut = bytes > shownBytesMax;
  if (cut) await reader.cancel();
  status.textContent += `, ${bytes} bytes in ${milliseconds(since)}${cut ? "; the rest was not read" : ""}`;
  if (/json/.test(type)) output.textContent = indented(text);
  if (!isText && bytes) output.textContent = `${bytes} bytes of ${type || "an unknown media type"}`;
  return bytes ? new Blob(chunks, {type: "application/octet-stream"}) : null;
}

async function send(request, stop, box) {
  const status = element("p", {class: "status", role: "status"}, "Waiting for the response.");
  const output = element("pre", {tabindex: "0", "aria-label": "Body of the response"});
  box.replaceChildren(status);
  box.append(disclosure({}, element("summary", {}, "The request as a command"), () => element("pre", {tabindex: "0"},
    commandOf(request))));
  const since = performance.now();
  try {
    const response = await fetch(request.url, {method: request.method, headers: request.headers, body: request.body,
      signal: stop.signal, cache: "no-store"});
    status.textContent = `${response.status} ${response.statusText} after ${milliseconds(since)}`;
    status.classList.add(response.ok ? "good" : "bad");
    if (response.redirected) box.append(element("p", {class: "note"}, `After a redirect to ${response.url}`));
    const lines = [...response.headers].map(([name, value]) => element("tr", {},
      element("th", {scope: "row"}, element("code", {}, name)), element("td", {}, value)));
    box.append(element("div", {class: "wide"}, element("table", {}, element("caption", {}, "Header fields"),
      element("tbody", {}, ...lines))), output);
    const blob = await readBody(response, since, status, output);
    output.hidden = output.textContent === "";
    if (blob) {
      const save = element("a", {download: "body", href: URL.createObjectURL(blob)}, "Save the body");
      box.append(element("p", {}, save));
    }
  } catch (error) {
    const end = stop.signal.aborted ? "Stopped" : `Failed: ${error.message}`;
    status.textContent += ` ${end}, after ${milliseconds(since)}.`;
    status.classList.add("bad");
  }
}

function tryIt(operation, parameters, body) {
  const inputs = [];
  const form = element("form", {class: "try", "aria-label": `Try ${operation.method.toUpperCase()} ${operation.path}`});
  for (const [place, title] of [["path", "Path"], ["query", "Query"], ["header", "Header fields"]]) {
    const blocks = parameters.filter(parameter => parameter.in === place).map(parameter => {
      const [block, read] = field(parameter.name, parameter.schema, parameter.required);
      inputs.push([parameter, read]);
      return block;
    });
    if (blocks.length) form.append(element("fieldset", {}, element("legend", {}, title), ...blocks));
  }
  if (parameters.some(parameter => parameter.in === "cookie")) {
    form.append(element("p", {class: "note"}, "The browser sends cookies itself; a page cannot choose their values."));
  }
  const [block, readBodyFields] = bodyFields(body);
  if (block) form.append(block);
  const sendButton = element("button", {type: "submit", class: "send"}, "Send");
  const stopButton = element("button", {type: "button"}, "Stop");
  const box = element("div", {class: "result"});
  let stop = null;
  stopButton.hidden = true;
  stopButton.addEventListener("click", () => stop?.abort());
  form.addEventListener("submit", async event => {
    event.preventDefault();
    stop?.abort();
    const own = stop = new AbortController();
    try {
      const request = composeRequest(operation, inputs, readBodyFields);
      stopButton.hidden = false;
      await send(request, own, box);
    } catch (error) {
      box.replaceChildren(element("p", {class: "status bad", role: "status"}, `Not sent: ${error.message}.`));
    }
    if (own === stop) stopButton.hidden = true;
  });
  form.append(element("p", {class: "buttons"}, sendButton, stopButton), box);
  return form;
}
