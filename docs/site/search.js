// SPDX-License-Identifier: MIT
// The ranking of the search: rank(index, query, count) returns the sections that answer a query, best first.
//
// BM25 over words of weighted places (search_index.py), with three additions. A word of the query also stands for its
// inflections and synonyms. A section in which more of the query's words occur precedes one with fewer of them. The
// last word of a query may be unfinished, because the search runs at each key. Runs in browsers and in node.
"use strict";

(function (exports) {
  // Words that say nothing about the topic of a question.
  const STOP_WORDS = new Set(("a an and any are as at be by can could do does for from get give has have how i if in into is it its " +
    "let make me my need of on or our should so some that the their them then there these this to use using " +
    "want way we what when where which with without would you your volt").split(" "));

  // What users say, and the words of the pages. A synonym counts less than the word itself.
  const SYNONYMS = {
    auth: ["login", "authentication", "token"], authenticate: ["login", "credentials"], authentication: ["login", "credentials"],
    background: ["job", "spawn"], breakpoint: ["gdb"], config: ["settings"], configuration: ["settings"], configure: ["settings"],
    container: ["docker", "image"], crash: ["dies", "gdb"], cron: ["job", "schedule"], cpu: ["processor", "profile"],
    db: ["database"], debugger: ["gdb"], deploy: ["deploying", "systemd", "kubernetes"], docker: ["dockerfile", "image", "container"],
    download: ["file"], env: ["environment", "settings"], escape: ["escaping"], flamegraph: ["profile"], form: ["urlencoded"],
    global: ["state", "shared"], healthcheck: ["health", "ready"], hot: ["restart"], https: ["tls"], ide: ["editor"],
    interval: ["every", "job"], jinja: ["template"], k8s: ["kubernetes"], leak: ["memory"], legacy: ["blocking"],
    log: ["logging"], login: ["session", "password"], logout: ["session"], mariadb: ["mysql"], minute: ["job", "cron"],
    monitor: ["metrics"], monitoring: ["metrics"], mutex: ["lock"], mysql: ["mariadb"], param: ["parameter"],
    password: ["argon2id"], periodic: ["job", "cron"], periodically: ["job", "cron"], postgres: ["postgresql"],
    profile: ["profiling"], prometheus: ["metrics"], range: ["ranges"], rest: ["json", "http"], schedule: ["job", "cron"],
    scheduled: ["job", "cron"], send: ["respond"], shared: ["state"], sse: ["server-sent", "events"],
    ssl: ["tls"], swagger: ["openapi"], template: ["html"], templates: ["html"], throttle: ["rate", "limit"], thread: ["threads"],
    timer: ["job", "interval"], toml: ["settings"], unit: ["testing"], unsafe: ["safe"], unsafely: ["safe"], unittest: ["testing"], upload: ["file", "multipart"],
    vim: ["editor"], vscode: ["editor"], worker: ["workers"],
  };
  const SYNONYM_WEIGHT = 0.45;
  const UNFINISHED_WEIGHT = 0.6;
  const UNFINISHED_LENGTH_MIN = 2;

  const K1 = 6;  // in units of weights: when a further occurrence adds little
  const B = 0.45;  // how much long sections are discounted
  const COVERAGE_POWER = 2;
  const RESULTS_OF_PAGE_MAX = 3;
  const NAMED_WEIGHT = 2.5;  // for a section whose title is the query, such as the name of a symbol
  const KIND_WEIGHTS = [1, 0.55, 0.4];  // guide, reference, project: KINDS of search_index.py

  // A word without its English inflection: limits, limited, limiting -> limit.
  function stem(word) {
    if (word.length > 4 && word.endsWith("ies")) return word.slice(0, -3) + "y";
    if (word.length > 5 && word.endsWith("ing")) word = word.slice(0, -3);
    else if (word.length > 4 && word.endsWith("ed")) word = word.slice(0, -2);
    else if (word.length > 4 && /(s|x|z|ch|sh)es$/.test(word)) word = word.slice(0, -2);
    else if (word.length > 3 && /[^su]s$/.test(word)) word = word.slice(0, -1);
    if (/([bdgmnprt])\1$/.test(word)) word = word.slice(0, -1);  // running -> run
    return word.length > 4 && word.endsWith("e") ? word.slice(0, -1) : word;
  }

  // Prepares an index once: the words by their stems, and the average length.
  function prepare(index) {
    if (index.byStem) return index;
    index.byStem = new Map();
    for (const word of Object.keys(index.words)) {
      const key = stem(word);
      if (!index.byStem.has(key)) index.byStem.set(key, []);
      index.byStem.get(key).push(word);
    }
    index.averageLength = index.lengths.reduce((sum, length) => sum + length, 1) / index.lengths.length;
    return index;
  }

  function words(query) {
    const all = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
    const telling = all.filter((word) => !STOP_WORDS.has(word));
    return telling.length > 0 ? telling : all;
  }

  // [[word of the index, weight], ...] that stand for a word of the query.
  function expansions(index, word, unfinished) {
    const found = new Map();
    const add = (key, weight) => {
      for (const each of index.byStem.get(stem(key)) || []) {
        const exact = each === key ? weight : weight * 0.9;
        if (exact > (found.get(each) || 0)) found.set(each, exact);
      }
    };
    add(word, 1);
    for (const synonym of SYNONYMS[word] || SYNONYMS[stem(word)] || []) add(synonym, SYNONYM_WEIGHT);
    if (unfinished && word.length >= UNFINISHED_LENGTH_MIN && found.size === 0) {
      for (const each of Object.keys(index.words)) {
        if (each.startsWith(word)) found.set(each, UNFINISHED_WEIGHT);
      }
    }
    return [...found];
  }

  // The weight of each section for one word of the query, and how telling the word is.
  function scoresOf(index, word, unfinished) {
    const weights = new Map();
    for (const [each, weight] of expansions(index, word, unfinished)) {
      const places = index.words[each];
      for (let i = 0; i < places.length; i += 2) {
        weights.set(places[i], (weights.get(places[i]) || 0) + places[i + 1] * weight);
      }
    }
    const rarity = Math.log(1 + index.sections.length / (1 + weights.size));
    for (const [section, weight] of weights) {
      const discount = 1 - B + B * index.lengths[section] / index.averageLength;
      weights.set(section, rarity * weight / (weight + K1 * discount));
    }
    return { weights, rarity };
  }

  function rank(index, query, count = 10) {
    prepare(index);
    const asked = words(query);
    const totals = new Map();
    let possible = 0;
    asked.forEach((word, i) => {
      const { weights, rarity } = scoresOf(index, word, i === asked.length - 1);
      possible += rarity;
      for (const [section, score] of weights) {
        const total = totals.get(section) || { score: 0, covered: 0 };
        total.score += score;
        total.covered += rarity;
        totals.set(section, total);
      }
    });
    const results = [];
    for (const [number, { score, covered }] of totals) {
      const [title, where, url, excerpt, kind] = index.sections[number];
      const named = title.toLowerCase() === query.trim().toLowerCase() ? NAMED_WEIGHT : 1;
      const value = score * Math.pow(covered / possible, COVERAGE_POWER) * KIND_WEIGHTS[kind] * named;
      results.push({ title, where, url, excerpt, score: value });
    }
    results.sort((a, b) => b.score - a.score || a.url.localeCompare(b.url));
    return varied(results).slice(0, count);
  }

  // Without the results of a page that already has its share, so that one class does not fill the list.
  function varied(results) {
    const shares = new Map();
    return results.filter(({ url }) => {
      const page = url.split("#")[0];
      shares.set(page, (shares.get(page) || 0) + 1);
      return shares.get(page) <= RESULTS_OF_PAGE_MAX;
    });
  }

  exports.rank = rank;
  exports.stem = stem;
})(typeof module === "undefined" ? (globalThis.voltSearch = {}) : module.exports);
