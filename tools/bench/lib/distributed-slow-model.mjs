import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** The same time for each text. */
export const perText =
  (ms) =>
  ({ length }) =>
    ms * length;

/** A time for each 1,000 characters, as the work of a model grows with its tokens. */
export const perCharacters = (ms) => (texts) => (ms * texts.reduce((sum, { length }) => sum + length, 0)) / 1_000;

/**
 * A proxy for the embedding stand-in that delays each request by `msOf(texts)`, without using a core: like a model that runs elsewhere.
 * Requests do not wait for each other. `refuse(true)`: from now on it refuses every request (401).
 */
export const openSlowModel = async (settings, msOf) => {
  const target = settings.PALIMPSEST_OPENAI_BASE_URL;
  let refuses = false;
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    if (refuses) return response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"refused"}}');
    const { input } = JSON.parse(body.toString());
    await sleep(msOf(input));
    const answer = await fetch(`${target}${request.url.replace(/^\/v1/, '')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    settings: { ...settings, PALIMPSEST_OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1` },
    refuse: (value) => void (refuses = value),
    close: () => (server.closeAllConnections(), server.close()),
  };
};
