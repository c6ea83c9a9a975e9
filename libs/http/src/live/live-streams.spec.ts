import type { Readable } from 'node:stream';
import { pause } from '@palimpsest/foundation';
import { Overloaded } from '@palimpsest/knowledge/errors';
import { position, START, tenantId } from '@palimpsest/knowledge/values';
import { FellBehind } from './live-log.ts';
import { LiveStreams, type LiveMessage, type LiveStream } from './live-streams.ts';

const acme = tenantId('acme');
const at = (number: number) => position(BigInt(number));
const never = (signal: AbortSignal): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

const streams = (over: object = {}) => new LiveStreams({ maxPerTenant: 2, onError: () => undefined, ...over });
const stream = (messages: LiveStream['messages'], over: Partial<LiveStream> = {}): LiveStream => ({
  tenant: acme,
  event: 'event',
  after: START,
  messages,
  mayGoOn: () => true,
  ...over,
});
async function* sending(...messages: readonly LiveMessage[]) {
  yield* messages;
}
const read = async (body: Readable): Promise<string> => {
  let text = '';
  for await (const part of body) text += String(part);
  return text;
};

describe('a live stream', () => {
  it('starts with its position, identifies each message by position, and reports why it ends', async () => {
    const live = streams();
    const body = live.open(
      stream(
        async function* (signal) {
          yield { position: at(3), data: { a: 'line\nbreak' } };
          yield { position: at(9) };
          await never(signal);
        },
        { after: at(2) },
      ),
    );
    const text = read(body);
    setTimeout(() => void live.close(), 50);
    expect(await text).toBe(
      'retry: 1000\n: at 2\nid: 2\n\nevent: event\nid: 3\ndata: {"a":"line\\nbreak"}\n\nevent: end\nid: 9\ndata: {"reason":"shutdown"}\n\n',
    );
    expect(live.count(acme)).toBe(0);
    expect(() => live.open(stream(() => sending()))).toThrow(Overloaded);
  });

  it('says that it is complete when its messages end', async () => {
    const live = streams();
    const text = await read(live.open(stream(() => sending({ position: at(4), data: 1 }))));
    expect(text).toMatch(/event: end\nid: 4\ndata: {"reason":"complete"}\n\n$/);
    expect(live.count(acme)).toBe(0);
  });

  it('sends its position regularly, even without messages', async () => {
    const live = streams({ heartbeatMs: 10 });
    const body = live.open(
      stream(async function* (signal) {
        yield { position: at(7) };
        await never(signal);
      }),
    );
    let text = '';
    for await (const part of body) if ((text += String(part)).includes(': at 7\nid: 7\n\n')) break;
    expect(text).toMatch(/^retry: 1000\n: at 0\nid: 0\n\n/);
  });

  it('is refused above the limit of its tenant, independent of other tenants', async () => {
    const live = streams();
    const quiet: LiveStream['messages'] = async function* (signal) {
      await never(signal);
      yield* [];
    };
    const open = [live.open(stream(quiet)), live.open(stream(quiet))];
    expect(() => live.open(stream(quiet))).toThrow(/this tenant has 2 open live streams; the limit is 2/);
    live.open(stream(quiet, { tenant: tenantId('other') })).resume();
    open[0]?.destroy();
    while (live.count(acme) > 1) await pause(5);
    expect(live.count(acme)).toBe(1);
    live.open(stream(quiet)).resume();
    open[1]?.resume();
    await live.close();
  });

  it('ends before the next message when its key is revoked', async () => {
    let known = true;
    const body = streams().open(
      stream(
        async function* () {
          yield { position: at(1), data: 1 };
          known = false;
          yield { position: at(2), data: 'secret' };
        },
        { mayGoOn: () => known },
      ),
    );
    const text = await read(body);
    expect(text).toContain('{"reason":"refused"}');
    expect(text).not.toContain('secret');
    expect(text).toContain('event: end\nid: 1\n');
  });

  it.each([
    ['the reader falls behind', new FellBehind('no'), 'slow', 0],
    ['an error occurs, which is logged and not shown to the reader', new Error('a detail'), 'failed', 1],
  ])('ends when %s', async (_, error, reason, reported) => {
    const errors: unknown[] = [];
    const body = streams({ onError: (each: unknown) => errors.push(each) }).open(
      stream(async function* () {
        yield { position: at(1), data: 1 };
        throw error;
      }),
    );
    const text = await read(body);
    expect(text).toMatch(new RegExp(`event: end\\nid: 1\\ndata: {"reason":"${reason}"}\\n\\n$`));
    expect(text).not.toContain('a detail');
    expect(errors).toHaveLength(reported);
  });

  it('buffers little for a reader that does not read, and disconnects it with a last message', async () => {
    let sent = 0;
    const live = streams({ stallMs: 50 });
    const body = live.open(
      stream(async function* (signal) {
        for (; !signal.aborted && sent < 100_000; sent++) yield { position: at(sent + 1), data: 'x'.repeat(1_000) };
      }),
    );
    while (live.count(acme) > 0) await pause(5);
    expect(sent).toBeLessThan(200);
    const text = await read(body);
    expect(text.slice(-50)).toMatch(new RegExp(`event: end\\nid: ${sent}\\ndata: {"reason":"slow"}\\n\\n$`));
  });
});
