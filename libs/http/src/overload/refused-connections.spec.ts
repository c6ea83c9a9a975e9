import { Agent, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fastify } from 'fastify';
import * as fc from 'fast-check';
import { bodyRules } from '../bodies/body-rules.ts';
import { shedLoad } from '../routes/gate.ts';
import { LoadShedder } from './load-shedder.ts';
import { Refusals } from './refusals.ts';
import { RefusedConnections } from './refused-connections.ts';

/** A clock that a test moves. */
const aClock = () => {
  let now = 0;
  const due: { at: number; then: () => void }[] = [];
  const pass = (ms: number): void => {
    now += ms;
    for (const one of due.splice(0))
      if (one.at <= now) one.then();
      else due.push(one);
  };
  return {
    now: () => now,
    after: (ms: number, then: () => void) => void due.push({ at: now + ms, then }),
    pass,
    waiting: () => due.length,
  };
};

/** A clock that advances by 100 ms on each call, so that a refusal takes 100 ms. */
const aTickingClock = () => {
  let now = 0;
  return () => (now += 100);
};

/** A server whose only slot is taken. */
const aFullServer = async (
  connections: RefusedConnections,
): Promise<{ server: Server; send: (agent: Agent) => Promise<number | undefined> }> => {
  const none = { concurrent: 1, waiting: 0, bytes: 1_000 };
  const loadShedder = new LoadShedder({ waitMs: 60_000, search: none, write: none, read: none });
  let taken: () => void = () => undefined;
  const full = new Promise<void>((resolve) => (taken = resolve));
  const app = fastify();
  shedLoad(app, loadShedder, { rules: bodyRules(1_000), maxBytes: 1_000, bodyMs: 60_000 }, new Refusals(connections, aTickingClock()));
  app.get('/v1/documents', () => new Promise(() => taken()));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { server } = app;
  const { port } = server.address() as AddressInfo;
  const send = (agent: Agent): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ port, path: '/v1/documents', agent }, (answer) => answer.on('end', () => resolve(answer.statusCode)).resume())
        .on('error', reject)
        .end();
    });
  void send(new Agent()).catch(() => undefined);
  await full;
  return { server, send };
};

const A_SOCKET = { destroyed: false, pause: () => undefined, resume: () => undefined } as unknown as Socket;

describe('connections over which requests were refused', () => {
  it('are read again after a delay, while other connections are read normally', async () => {
    const clock = aClock();
    const { server, send } = await aFullServer(new RefusedConnections(0.1, clock));
    const [one, other] = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 })];
    try {
      expect(await send(one)).toBe(429);
      while (clock.waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      let answered = false;
      const again = send(one).then((given) => {
        answered = true;
        return given;
      });
      expect(await send(other)).toBe(429);
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

  it('are paused for at most five seconds, and resumed in order', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ gap: fc.nat(2_000), tookMs: fc.double({ min: 0, max: 1_000, noNaN: true }) }), { maxLength: 60 }),
        (refusals) => {
          const clock = aClock();
          const resumedAt: number[] = [];
          const connections = new RefusedConnections(0.05, { now: clock.now, after: (ms) => void resumedAt.push(clock.now() + ms) });
          for (const { gap, tookMs } of refusals) {
            clock.pass(gap);
            const before = resumedAt.length;
            connections.throttle(A_SOCKET, tookMs);
            if (resumedAt.length > before) expect(resumedAt[before]).toBeLessThanOrEqual(clock.now() + 5_000);
          }
          expect(resumedAt).toEqual([...resumedAt].sort((a, b) => a - b));
        },
      ),
    ));

  it('are resumed at a rate that keeps refusals within their share of time, whatever a refusal costs', () =>
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1, noNaN: true }), (tookMs) => {
        const clock = aClock();
        const share = 0.05;
        const count = 200;
        let last = 0;
        const connections = new RefusedConnections(share, { now: clock.now, after: (ms) => (last = clock.now() + ms) });
        for (let i = 0; i < count; i++) connections.throttle(A_SOCKET, tookMs);
        // Connections may be resumed 100 ms early, and none waits longer than five seconds.
        expect(last + 100).toBeGreaterThanOrEqual(Math.min(5_000, (count * tookMs) / share) - 1e-6);
      }),
    ));
});
