/**
 * What does a flow control gain in the case that it is for? The built platform with it and without it (its limit set to the maximum), alternating in
 * one run; medians. Linux, Node 24, after `npm run build`, about eight minutes:
 *
 *   npx node tools/bench/flow-controls.mjs [--rounds 3] [--only shedder,memory,bodies,rates,backlog,fair]
 *
 * `bodies`: writes that succeed within ten seconds while 16 callers have sent the head of an upload and nothing more.
 * `memory`: how much the resident memory grows while 24 files of 20 MB arrive at the same time.
 * `backlog`: seconds until the last accepted document is searchable, after 600 documents were submitted at once.
 * `shedder`: searches answered within half a second, in ten seconds, while 400 callers search without a pause.
 * `rates`: searches of one tenant that are answered within 200 ms, in ten seconds, while another tenant searches with 16 callers.
 * `fair`: milliseconds until a single document is searchable behind 1,500 documents of another tenant; "without": of its own tenant, in whose order it waits.
 *
 * Paced refusals: tools/bench/overload.mjs. Slots that slow files yield: hostile.mjs. Large JSON: json-bodies.mjs.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, only: { type: 'string', default: 'shedder,memory,bodies,rates,backlog,fair' } },
});

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const TIERS = { tiers: { small: { rates: { search: { perSecond: 5, burst: 10 } } } } };

/** Runs `measure` on a platform of its own. */
const onPlatform = async (settings, measure) => {
  const data = await mkdtemp(join(tmpdir(), 'palimpsest-flow-'));
  const standIn = await openEmbeddingStandIn();
  const tiers = `${data}-tiers.json`;
  if (settings.PALIMPSEST_TIERS) await writeFile(tiers, JSON.stringify(TIERS));
  const withTiers = settings.PALIMPSEST_TIERS ? { PALIMPSEST_TIERS: tiers } : {};
  const platform = await PlatformProcess.start(data, { ...standIn.settings, ...settings, ...withTiers });
  platform.hasTiers = settings.PALIMPSEST_TIERS !== undefined;
  const key = readFileSync(join(data, 'keys', 'local-api-key'), 'utf8').trim();
  try {
    return await measure(platform, `Bearer ${key}`);
  } finally {
    await platform.stop('SIGKILL');
    await standIn.close();
    await rm(data, { recursive: true, force: true });
    await rm(tiers, { force: true });
  }
};

const submit = (platform, authorization, n) =>
  fetch(`${platform.url}/v1/documents`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ sourceId: `${n}.md`, text: `A note about the tide, number ${n}.` }),
    signal: AbortSignal.timeout(10_000),
  });

/** Writes that succeed within ten seconds next to 16 bodies that never arrive. */
const bodies = async (platform, authorization) => {
  const { port, hostname } = new URL(platform.url);
  const sockets = Array.from({ length: 16 }, () => connect(Number(port), hostname));
  for (const socket of sockets)
    socket
      .on('error', () => undefined)
      .write(
        `POST /v1/documents HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
      );
  await sleep(200);
  const until = performance.now() + 10_000;
  let succeeded = 0;
  for (let n = 0; performance.now() < until; n++) {
    const status = await submit(platform, authorization, n).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 202) succeeded += 1;
    await sleep(50);
  }
  for (const socket of sockets) socket.destroy();
  return succeeded;
};

/** MiB by which the resident memory grows at most while files arrive. */
const memory = async (platform, authorization) => {
  const file = new Blob([Buffer.alloc(20 * 1024 * 1024, 7)]);
  const before = platform.resident().own;
  let peak = before;
  let isDone = false;
  const watching = (async () => {
    for (; !isDone; await sleep(20)) peak = Math.max(peak, platform.resident().own);
  })();
  await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const form = new FormData();
      form.append('files', file, `${n}.bin`);
      const response = await fetch(`${platform.url}/v1/documents`, { method: 'POST', headers: { authorization }, body: form }).catch(
        () => undefined,
      );
      await response?.arrayBuffer();
    }),
  );
  isDone = true;
  await watching;
  return (peak - before) / 1024 / 1024;
};

/** Seconds from the end of the flood until the last accepted document is searchable. */
const backlog = async (platform, authorization) => {
  let accepted = 0;
  await Promise.all(
    Array.from({ length: 20 }, async (_, caller) => {
      for (let n = 0; n < 30; n++) if ((await submit(platform, authorization, caller * 100 + n)).status === 202) accepted += 1;
    }),
  );
  const began = performance.now();
  await platform.settled(accepted);
  return (performance.now() - began) / 1000;
};

const asTenantB = async (platform) => {
  const { key } = await platform.ask('POST', '/v1/api-keys', { name: 'b', tenant: 'b', roles: ['writer'] });
  return `Bearer ${key}`;
};

const search = async (platform, authorization, query, ms) => {
  const response = await fetch(`${platform.url}/v1/search`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    signal: AbortSignal.timeout(ms),
  });
  const { hits = [] } = await response.json();
  return { status: response.status, hits };
};

/** Calls `ask` again and again from `callers` callers for ten seconds; counts the answers 200 within `withinMs`. */
const answered = async (callers, withinMs, ask) => {
  const until = performance.now() + 10_000;
  let good = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let n = 0; performance.now() < until; n++) {
        const began = performance.now();
        const status = await ask(caller, n).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 200 && performance.now() - began <= withinMs) good += 1;
        if (status !== 200) await sleep(100);
      }
    }),
  );
  return good;
};

const filled = async (platform, authorization, count) => {
  for (let n = 0; n < count; n++) await submit(platform, authorization, n);
  await platform.settled(count);
};

const shedder = async (platform, authorization) => {
  await filled(platform, authorization, 100);
  return answered(400, 500, (caller, n) => search(platform, authorization, `tide number ${caller} ${n}`, 30_000));
};

const rates = async (platform, authorization) => {
  const other = await asTenantB(platform);
  if (platform.hasTiers) await platform.ask('PUT', '/v1/tenants/b/limits', { tier: 'small' });
  await filled(platform, authorization, 100);
  const flood = answered(16, 10_000, (caller, n) => search(platform, other, `tide number ${caller} ${n}`, 30_000));
  const good = await answered(1, 200, (_, n) => search(platform, authorization, `tide number ${n}`, 30_000));
  await flood;
  return good;
};

const searchableAfter = async (platform, authorization) => {
  const began = performance.now();
  await fetch(`${platform.url}/v1/documents`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ sourceId: 'single.md', text: 'The lighthouse keeper saw a hippogriff.' }),
  });
  for (;;) {
    const { hits } = await search(platform, authorization, 'hippogriff lighthouse keeper', 10_000);
    if (hits.some(({ text }) => text.includes('hippogriff'))) return performance.now() - began;
    await sleep(10);
  }
};

const behindMany = (isOther) => async (platform, authorization) => {
  const other = await asTenantB(platform);
  await Promise.all(
    Array.from({ length: 20 }, async (_, caller) => {
      for (let n = 0; n < 75; n++) await submit(platform, authorization, caller * 100 + n);
    }),
  );
  return searchableAfter(platform, isOther ? other : authorization);
};

const CONTROLS = {
  shedder: {
    what: 'load shedder: searches answered within 500 ms',
    measure: shedder,
    both: {},
    on: {},
    off: { PALIMPSEST_CONCURRENT_SEARCHES: '10000', PALIMPSEST_WAITING_REQUESTS: '100000', PALIMPSEST_WAITING_MS: '600000' },
  },
  rates: {
    what: 'rates: searches of another tenant answered within 200 ms',
    measure: rates,
    both: {},
    on: { PALIMPSEST_TIERS: 'tiers' },
    off: {},
  },
  fair: {
    what: 'fair relay: ms until a document is searchable',
    measure: behindMany(true),
    without: behindMany(false),
    both: {},
    on: {},
    off: {},
  },
  bodies: {
    what: 'deadline for request bodies: writes that succeed',
    measure: bodies,
    both: { PALIMPSEST_CONCURRENT_WRITES: '8', PALIMPSEST_WAITING_REQUESTS: '8', PALIMPSEST_WAITING_MS: '2000' },
    on: { PALIMPSEST_BODY_SECONDS: '1' },
    off: { PALIMPSEST_BODY_SECONDS: '3600' },
  },
  memory: {
    what: 'upload memory: MiB more while files arrive',
    measure: memory,
    both: { PALIMPSEST_WAITING_MS: '60000' },
    on: { PALIMPSEST_UPLOAD_MEMORY_MB: '64' },
    off: { PALIMPSEST_UPLOAD_MEMORY_MB: '1048576' },
  },
  backlog: {
    what: 'queue capacity: seconds until the last accepted document is searchable',
    measure: backlog,
    both: {},
    on: { PALIMPSEST_QUEUE_CAPACITY: '50' },
    off: { PALIMPSEST_QUEUE_CAPACITY: '1000000' },
  },
};

for (const name of options.only.split(',')) {
  const { what, measure, without: measureWithout = measure, both, on, off } = CONTROLS[name];
  const [withIt, without] = [[], []];
  for (let round = 0; round < Number(options.rounds); round++) {
    withIt.push(await onPlatform({ ...both, ...on }, measure));
    without.push(await onPlatform({ ...both, ...off }, measureWithout));
  }
  const [a, b] = [median(withIt), median(without)];
  console.log(
    `${what}: with ${a.toFixed(1)}, without ${b.toFixed(1)} (rounds: ${withIt.map((v) => v.toFixed(1))} / ${without.map((v) => v.toFixed(1))})`,
  );
}
console.log(`load average ${loadavg()[0].toFixed(1)}`);
