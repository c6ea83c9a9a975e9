import { Agent, request, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import * as fc from 'fast-check';
import { Doors } from './doors.ts';
import { guardedServer } from './guarded-server.ts';
import { QuietTurns } from './quiet-turns.ts';
import { RefusedConnections } from './refused-connections.ts';

/** Time that passes when told to. */
const aClock = () => {
  let now = 0;
  const due: { at: number; then: () => void }[] = [];
  const pass = (ms: number): void => {
    now += ms;
    for (const one of due.splice(0)) if (one.at <= now) one.then();
      else due.push(one);
  };
  return { now: () => now, after: (ms: number, then: () => void) => void due.push({ at: now + ms, then }), pass, waiting: () => due.length };
};

/** A server that has room for nobody. */
const aFullServer = async (connections: RefusedConnections): Promise<{ server: Server; ask: (agent: Agent) => Promise<number | undefined> }> => {
  const none = { atOnce: 1, waiting: 0, bytes: 1_000 };
  const doors = new Doors({ waitMs: 60_000, search: none, write: none, read: none });
  let taken: () => void = () => undefined;
  const full = new Promise<void>((resolve) => (taken = resolve));
  const never: RequestListener = () => taken();
  const server = guardedServer(doors, new QuietTurns(), 1_000, connections)(never).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (agent: Agent): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ port, path: '/v1/documents', agent }, (answer) => answer.on('end', () => resolve(answer.statusCode)).resume()).on('error', reject).end();
    });
  void ask(new Agent()).catch(() => undefined);
  await full;
  return { server, ask };
};

describe('connections over which requests were refused', () => {
  it('are read again when it is their turn, while others are read as ever', async () => {
    const clock = aClock();
    const { server, ask } = await aFullServer(new RefusedConnections(1, clock));
    const [one, other] = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 })];
    try {
      expect(await ask(one)).toBe(429);
      while (clock.waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      let answered = false;
      const again = ask(one).then((given) => {
        answered = true;
        return given;
      });
      expect(await ask(other)).toBe(429);
      expect(answered).toBe(false);
      clock.pass(5_000);
      expect(await again).toBe(429);
    } finally {
      one.destroy();
      other.destroy();
      server.closeAllConnections();
      server.close();
    }
  });

  it('are never left unread for longer than five seconds, nor read more often than may', () =>
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 200 }), fc.integer({ min: 1, max: 100 }), (gaps, perSecond) => {
        const clock = aClock();
        const rested: number[] = [];
        const connections = new RefusedConnections(perSecond, { now: clock.now, after: (ms) => void rested.push(clock.now() + ms) });
        const socket = { destroyed: false, pause: () => undefined, resume: () => undefined } as unknown as Socket;
        let last = -Infinity;
        for (const gap of gaps) {
          clock.pass(gap);
          const before = rested.length;
          connections.rest(socket);
          const until = rested[before];
          if (until === undefined) continue;
          expect(until - clock.now()).toBeLessThanOrEqual(5_000);
          expect(until).toBeGreaterThanOrEqual(last);
          last = until;
        }
      }),
    ));
});
