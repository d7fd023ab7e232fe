// Vercel's AI SDK: a streamed response with its links as sources.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";

const { CREDENCE_URL, CREDENCE_KEY, QUESTION } = process.env;
const credence = createOpenAI({ baseURL: `${CREDENCE_URL}/v1`, apiKey: CREDENCE_KEY });

const whole = await generateText({ model: credence("credence/default"), prompt: QUESTION });
const result = streamText({ model: credence("credence/default"), prompt: QUESTION });
let text = "";
for await (const part of result.textStream) text += part;
const sources = await result.sources;
const chat = await generateText({ model: credence.chat("credence/default"), prompt: QUESTION });

const metadata = { credence: JSON.stringify({ sources: ["rumour"] }) };
const options = { prompt: QUESTION, providerOptions: { openai: { metadata } } };
const restricted = await generateText({ model: credence("credence/default"), ...options });
const restrictedChat = await generateText({ model: credence.chat("credence/default"), ...options });

console.log(JSON.stringify({
  whole: whole.text,
  text,
  sources: sources.map(({ url }) => url),
  chat: chat.text,
  restricted: [restricted.text, restrictedChat.text],
}));
