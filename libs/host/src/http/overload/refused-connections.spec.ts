import { Agent, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fastify } from 'fastify';
import * as fc from 'fast-check';
import { bodyRules } from '../bodies/body-rules.ts';
import { askDoors } from '../routes/gate.ts';
import { Doors } from './doors.ts';
import { Refusals } from './refusals.ts';
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

/** Each look at it is a hundred milliseconds after the one before: so long a refusal takes. */
const aTickingClock = () => {
  let now = 0;
  return () => (now += 100);
};

/** A server that has room for nobody. */
const aFullServer = async (connections: RefusedConnections): Promise<{ server: Server; ask: (agent: Agent) => Promise<number | undefined> }> => {
  const none = { atOnce: 1, waiting: 0, bytes: 1_000 };
  const doors = new Doors({ waitMs: 60_000, search: none, write: none, read: none });
  let taken: () => void = () => undefined;
  const full = new Promise<void>((resolve) => (taken = resolve));
  const app = fastify();
  askDoors(app, doors, { rules: bodyRules(1_000), mostBytes: 1_000, bodyMs: 60_000 }, new Refusals(connections, aTickingClock()));
  app.get('/v1/documents', () => new Promise(() => taken()));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { server } = app;
  const { port } = server.address() as AddressInfo;
  const ask = (agent: Agent): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ port, path: '/v1/documents', agent }, (answer) => answer.on('end', () => resolve(answer.statusCode)).resume()).on('error', reject).end();
    });
  void ask(new Agent()).catch(() => undefined);
  await full;
  return { server, ask };
};

const A_SOCKET = { destroyed: false, pause: () => undefined, resume: () => undefined } as unknown as Socket;

describe('connections over which requests were refused', () => {
  it('are read again when it is their turn, while others are read as ever', async () => {
    const clock = aClock();
    const { server, ask } = await aFullServer(new RefusedConnections(0.1, clock));
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

  it('are never left unread for longer than five seconds, and take turns', () =>
    fc.assert(
      fc.property(fc.array(fc.record({ gap: fc.nat(2_000), tookMs: fc.double({ min: 0, max: 1_000, noNaN: true }) }), { maxLength: 60 }), (refusals) => {
        const clock = aClock();
        const turns: number[] = [];
        const connections = new RefusedConnections(0.05, { now: clock.now, after: (ms) => void turns.push(clock.now() + ms) });
        for (const { gap, tookMs } of refusals) {
          clock.pass(gap);
          const before = turns.length;
          connections.rest(A_SOCKET, tookMs);
          if (turns.length > before) expect(turns[before]).toBeLessThanOrEqual(clock.now() + 5_000);
        }
        expect(turns).toEqual([...turns].sort((a, b) => a - b));
      }),
    ));

  it('are read no faster than refusing may take its share of the time, whatever a refusal takes', () =>
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1, noNaN: true }), (tookMs) => {
        const clock = aClock();
        const share = 0.05;
        const count = 200;
        let last = 0;
        const connections = new RefusedConnections(share, { now: clock.now, after: (ms) => (last = clock.now() + ms) });
        for (let i = 0; i < count; i++) connections.rest(A_SOCKET, tookMs);
        // A tenth of a second's worth may come ahead of its turn; nobody waits for longer than five seconds.
        expect(last + 100).toBeGreaterThanOrEqual(Math.min(5_000, (count * tookMs) / share) - 1e-6);
      }),
    ));
});
