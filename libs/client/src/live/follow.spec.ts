import { FakeServer } from '../../test/fake-server.ts';
import { ConnectionError, ProblemError } from '../errors.ts';
import { PalimpsestClient } from '../palimpsest-client.ts';
import type { EventView } from '@palimpsest/contracts/http';
import type { FollowOptions, ReconnectNotice } from './follow.ts';

let server: FakeServer;
let client: PalimpsestClient;
beforeEach(async () => {
  server = await FakeServer.open();
  client = new PalimpsestClient({ url: server.url, apiKey: 'plk_test' });
});
afterEach(() => server.close());

const headers = { 'content-type': 'text/event-stream' };
const mark = (position: number) => `: at ${position}\nid: ${position}\n\n`;
const event = (position: number) => `event: event\nid: ${position}\ndata: {"position":"${position}"}\n\n`;
const end = (position: number, reason: string) => `event: end\nid: ${position}\ndata: {"reason":"${reason}"}\n\n`;
const stream = (...parts: readonly string[]) => ({ headers, text: `retry: 1000\n${parts.join('')}` });
const lastEventIds = () => server.seen.map((seen) => seen.headers['last-event-id']);

/** Follows the stream until it returned `count` events. */
const take = async (count: number, options: FollowOptions = {}, notices: ReconnectNotice[] = []): Promise<readonly string[]> => {
  const stop = new AbortController();
  const positions: string[] = [];
  for await (const { position } of client.events.follow(
    { types: ['A'] },
    { signal: stop.signal, onReconnect: (notice) => notices.push(notice), ...options },
  )) {
    positions.push(position);
    if (positions.length === count) stop.abort();
  }
  return positions;
};

describe('following a stream', () => {
  it('continues after the last message when the connection ends, without gaps or duplicates', async () => {
    server.answersInTurn(stream(mark(5), event(7), event(8)), stream(mark(8), event(9), end(9, 'slow')), stream(mark(9), event(12)));
    const notices: ReconnectNotice[] = [];
    expect(await take(4, {}, notices)).toEqual(['7', '8', '9', '12']);
    expect(lastEventIds()).toEqual([undefined, '8', '9']);
    expect(notices.map(({ reason }) => reason)).toEqual(['disconnected', 'slow']);
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      url: '/v1/events/live?type=A',
      headers: { accept: 'text/event-stream', authorization: 'Bearer plk_test' },
    });
  });

  it('ends when the server says that the stream is complete', async () => {
    server.answersInTurn(stream(mark(5), event(7), end(7, 'complete')));
    expect(await take(9)).toEqual(['7']);
    expect(lastEventIds()).toEqual([undefined]);
  });

  it('continues from its starting position when the connection broke before the first message', async () => {
    server.answersInTurn(stream(mark(5)), stream(event(6)));
    expect(await take(1)).toEqual(['6']);
    expect(lastEventIds()).toEqual([undefined, '5']);
  });

  it('starts after the given position and reports its progress', async () => {
    server.answersInTurn(stream(mark(40), mark(45), event(50)));
    const positions: string[] = [];
    await take(1, { after: '40', onPosition: (position) => positions.push(position) });
    expect(lastEventIds()).toEqual(['40']);
    // The position of the last event may be missing: it is reported only after the consumer has processed the event.
    expect(positions).toEqual(['40', '45', ...positions.slice(2)]);
  });

  it('reconnects after the requested delay when the server has too many streams', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, json: { code: 'Overloaded', detail: 'too many' } };
    server.answersInTurn(busy, stream(event(1)));
    expect(await take(1)).toEqual(['1']);
  });

  it('rejects when the server refuses permanently: for a revoked key, for an invalid filter', async () => {
    server.answersInTurn(stream(event(1), end(1, 'refused')), { status: 401, json: { code: 'Unauthenticated', detail: 'not known' } });
    const notices: ReconnectNotice[] = [];
    await expect(take(2, {}, notices)).rejects.toThrow(ProblemError);
    expect(notices).toMatchObject([{ reason: 'refused' }]);
    server.answers(() => ({ status: 400, json: { code: 'InvalidValue', detail: 'no' } }));
    await expect(take(1)).rejects.toMatchObject({ status: 400 });
  });

  it('rejects immediately when it never reached the server, but reconnects to a server that it had reached', async () => {
    const nowhere = new PalimpsestClient({ url: 'http://127.0.0.1:1', apiKey: 'x' });
    await expect(nowhere.documents.follow().next()).rejects.toThrow(ConnectionError);
    server.answersInTurn(stream(event(1)), 'hang up', stream(event(2)));
    expect(await take(2)).toEqual(['1', '2']);
  });

  it('keeps later reads of this client at least as new as the last document change that it returned', async () => {
    server.answers(({ url }) => (url.startsWith('/v1/documents/live') ? stream(event(77)) : { json: {} }));
    for await (const { position } of client.documents.follow()) {
      expect(position).toBe('77');
      await client.documents.get('d1');
      break;
    }
    expect(server.seen.at(-1)?.headers['palimpsest-at-least']).toBe('77');
  });

  it('ends without an error when it is aborted on an idle stream', async () => {
    server.answers(() => stream(mark(1)));
    const stop = new AbortController();
    const iteration: AsyncGenerator<EventView> = client.events.follow({}, { signal: stop.signal });
    const next = iteration.next();
    setTimeout(() => stop.abort(), 30);
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('reads messages that arrive in pieces of any size', async () => {
    const text = `${mark(1)}event: event\nid: 3\ndata: {"position":"ü 😀"}\n\n`;
    const bytes = new TextEncoder().encode(text);
    const body = new ReadableStream({
      start: (controller) => (bytes.forEach((byte) => controller.enqueue(Uint8Array.of(byte))), controller.close()),
    });
    const piecemeal = new PalimpsestClient({ url: 'http://any', fetch: async () => new Response(body, { headers }) });
    const first = await piecemeal.events.follow().next();
    expect(first.value).toEqual({ position: 'ü 😀' });
  });
});
