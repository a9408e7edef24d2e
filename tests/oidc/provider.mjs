// SPDX-License-Identifier: MIT
// The npm package oidc-provider on a loopback port: node provider.mjs PORT REDIRECT_URI, in a folder that has the package.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const resolve = createRequire(process.cwd() + "/").resolve;
const { default: Provider } = await import(pathToFileURL(resolve("oidc-provider")));

const [port, redirectUri] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "shop", client_secret: "s:e cret", redirect_uris: [redirectUri] }],
  pkce: { required: () => true, methods: ["S256"] },
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
