// The types for TypeScript with openapi-fetch: a document, a search, a question, a page of a list, and a failure.
import createClient from "openapi-fetch";
import type { components, paths } from "./credence.d.ts";

const { CREDENCE_URL, CREDENCE_KEY, QUESTION } = process.env as Record<string, string>;
const credence = createClient<paths>({
  baseUrl: CREDENCE_URL,
  headers: { Authorization: `Bearer ${CREDENCE_KEY}` },
});
const path = { corpus: "default" };

const asked = await credence.POST("/v1/corpora/{corpus}/answers", {
  params: { path },
  body: { question: QUESTION, parameters: { kappa: 3 } },
});
const result: components["schemas"]["AnswerResult"] | null | undefined = asked.data?.result;
const found = await credence.POST("/v1/corpora/{corpus}/search", {
  params: { path },
  body: { query: QUESTION, limit: 2, sources: ["rumour"] },
});
const listed = await credence.GET("/v1/corpora/{corpus}/sources", { params: { path, query: { limit: 1 } } });
const { error } = await credence.GET("/v1/corpora/{corpus}", { params: { path: { corpus: "nothing" } } });
// @ts-expect-error  A query is text.
const wrong = await credence.POST("/v1/corpora/{corpus}/search", { params: { path }, body: { query: 2 } });

console.log(JSON.stringify({
  answers: result?.answers,
  readings: result?.usage.readings,
  sources: found.data?.items.map(({ source_name }) => source_name),
  page: [listed.data?.items.length, typeof listed.data?.next_cursor],
  problem: error?.detail,
  wrong: wrong.error?.errors?.[0]?.location,
}));
