// SPDX-License-Identifier: MIT

// upload.js fetch|axios URL TRIES KIND HEADER_BYTES: what refusal_test.py asks of a client (uploading_clients.py).
const { Readable } = require("stream");
const https = require("https");

const [library, url, tries, kind, headerBytes] = process.argv.slice(2);
const piece = Buffer.alloc(100000, "x");
const count = 200;

async function* pieces() {
  for (let i = 0; i < count; ++i) {
    if (i === 1 && kind === "stalled") await new Promise((resolve) => setTimeout(resolve, 4000));
    yield piece;
  }
}

const headers = Number(headerBytes) > 0 ? { "X-Large": "x".repeat(Number(headerBytes)) } : {};
const whole = () => Buffer.alloc(piece.length * count, "x");

async function withFetch() {
  const body = kind === "sized" ? whole() : pieces();
  const response = await fetch(url, { method: "POST", body, headers, duplex: "half" });
  await response.text();
  return response.status;
}

async function withAxios() {
  const axios = require("axios");
  const response = await axios.post(url, kind === "sized" ? whole() : Readable.from(pieces()), {
    headers,
    maxBodyLength: Infinity,
    validateStatus: () => true,
    httpsAgent: new https.Agent({ rejectUnauthorized: false }),
  });
  return response.status;
}

(async () => {
  for (let i = 0; i < Number(tries); ++i) {
    try {
      console.log(await (library === "fetch" ? withFetch() : withAxios()));
    } catch (error) {
      console.log(`${error} ${error.cause || ""}`.replace(/\n/g, " ").slice(0, 200));
    }
  }
  process.exit(0);
})();
