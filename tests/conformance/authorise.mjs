// Has every request of the conformance suite bring a bearer token, which it has no option for: loaded before the suite
// (node --import).  The dispatcher is shared by Node's fetch and by the undici that the suite itself uses; requests whose
// headers are not to be tidied up it makes with node:http.
import http from "node:http";
import { createRequire, syncBuiltinESMExports } from "node:module";

const require = createRequire(process.env.KEYHOLE_SUITE);
const { Agent, setGlobalDispatcher } = require("undici");
const token = "Bearer " + process.env.KEYHOLE_TOKEN;

function bring(headers) {
  if (Array.isArray(headers)) return [...headers, "authorization", token];
  if (headers && typeof headers[Symbol.iterator] === "function") return [...headers, ["authorization", token]];
  return { ...headers, authorization: token };
}

setGlobalDispatcher(
  new Agent().compose((dispatch) => (options, handler) =>
    dispatch({ ...options, headers: bring(options.headers) }, handler)),
);

const request = http.request;
http.request = (...words) => {
  const options = words.find((word) => typeof word === "object" && !(word instanceof URL));
  if (options) options.headers = bring(options.headers);
  return request(...words);
};
syncBuiltinESMExports();
