// OpenAI's SDK: models, chat completions and responses, whole and streamed, and a failure.
import OpenAI from "openai";

const { CREDENCE_URL, CREDENCE_KEY, QUESTION } = process.env;
const client = new OpenAI({ baseURL: `${CREDENCE_URL}/v1`, apiKey: CREDENCE_KEY, maxRetries: 0 });
const model = "credence/default";
const messages = [{ role: "user", content: QUESTION }];

const models = (await client.models.list()).data.map(({ id }) => id);
const completion = await client.chat.completions.create({ model, messages });
const stream = client.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
const streamed = await stream.finalChatCompletion();
const response = await client.responses.create({ model, input: QUESTION });
const events = [];
const responses = client.responses.stream({ model, input: QUESTION });
for await (const event of responses) events.push(event.type);
const last = await responses.finalResponse();
const restricted = await client.chat.completions.create({ model, messages, credence: { sources: ["rumour"] } });
const failure = await client.chat.completions.create({ model: "gpt-4", messages }).catch((error) => error);

console.log(JSON.stringify({
  models,
  chat: completion.choices[0].message.content,
  streamedChat: streamed.choices[0].message.content,
  streamedUsage: streamed.usage.total_tokens,
  outcome: completion.credence.outcome,
  response: response.output_text,
  events,
  streamedResponse: last.output_text,
  restricted: restricted.choices[0].message.content,
  failure: { status: failure.status, code: failure.code, kind: failure.constructor.name },
}));
