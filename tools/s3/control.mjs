import { createServer } from 'node:http';

/**
 * `POST /faults` with one fault or a list of them, `GET /faults` for pending and injected faults, `DELETE /faults` to clear all.
 * @param {import('./faults.mjs').Faults} faults
 */
export const controlServer = (faults) =>
  createServer(async (asked, answer) => {
    const reply = (status, body) => answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (asked.url !== '/faults') return reply(404, { error: 'expected /faults' });
    try {
      if (asked.method === 'POST') for (const fault of [await bodyOf(asked)].flat()) faults.add(fault);
      if (asked.method === 'DELETE') faults.clear();
      reply(200, faults.state());
    } catch (error) {
      reply(400, { error: error.message });
    }
  });

const bodyOf = async (asked) => {
  let text = '';
  for await (const chunk of asked.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
};
