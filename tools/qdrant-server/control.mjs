import { createServer } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/**
 * POST /faults { delayMs?, fail?: { count, mode: "500" | "503" | "429" | … | "reset", when: "before" | "after", match? }, awayMs? }
 * DELETE /faults   GET /faults
 */
export const controlServer = async (faults, rest, port) => {
  const server = createServer(async (request, response) => {
    try {
      if (request.method === 'POST') {
        const plan = JSON.parse(await text(request));
        faults.plan(plan);
        if (plan.awayMs > 0) await rest.goAway(plan.awayMs);
      } else if (request.method === 'DELETE') faults.clear();
      response.end(JSON.stringify({ met: faults.met, requests: faults.requests }));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
};
