// The SDK of the Model Context Protocol: tools, resources and prompts over HTTP.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { CREDENCE_URL, CREDENCE_KEY, QUESTION } = process.env;
const client = new Client({ name: "credence-tests", version: "1.0.0" });
const requestInit = { headers: { Authorization: `Bearer ${CREDENCE_KEY}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(`${CREDENCE_URL}/mcp`), { requestInit }));

const call = async (name, args) => await client.callTool({ name, arguments: args });
const parsed = (result) => JSON.parse(result.content[0].text);

const tools = (await client.listTools()).tools.map(({ name }) => name);
const asked = await call("ask", { question: QUESTION });
const restricted = await call("ask", { question: QUESTION, sources: ["rumour"] });
const found = parsed(await call("search", { query: QUESTION })).results;
const fetched = parsed(await call("fetch", { id: found[0].id }));
const failure = await call("fetch", { id: "1" });
const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
const resource = await client.readResource({ uri: `credence://default/answers/${asked.structuredContent.answer_id}` });
const prompts = (await client.listPrompts()).prompts.map(({ name }) => name);
await client.close();

console.log(JSON.stringify({
  server: client.getServerVersion().name,
  tools,
  text: asked.content[0].text,
  answers: asked.structuredContent.answers,
  restricted: restricted.structuredContent.answers,
  found,
  fetched,
  failure: { isError: failure.isError, text: failure.content[0].text },
  templates,
  stored: JSON.parse(resource.contents[0].text).result.answers,
  prompts,
}));
