import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';

/**
 * An OpenAI-compatible endpoint on a local model, which can be made to fail or to become slow for queries (single texts).
 *
 * @param {string} folder of an ONNX model
 */
export const openModelEndpoint = async (folder) => {
  const provider = await openOnnxEmbeddings({ folder });
  const state = { refusesQueries: false, queryDelayMs: 0 };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const texts = [JSON.parse(Buffer.concat(parts).toString()).input].flat();
    const isQuery = texts.length === 1;
    if (isQuery && state.refusesQueries) return void response.writeHead(401).end('{"error":{"message":"the key has expired"}}');
    if (isQuery) await sleep(state.queryDelayMs);
    // An endpoint does not know which texts are queries, so none gets a prefix.
    const embedded = await provider.embed(texts, 'passage');
    const data = embedded.map(({ vector }, index) => ({
      object: 'embedding',
      index,
      embedding: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'),
    }));
    const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ object: 'list', data, usage: { prompt_tokens: tokens, total_tokens: tokens } }));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    state,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await provider.close();
    },
  };
};
