/** An installation of Palimpsest as services: processes of the three apps, on running servers, behind one gateway. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from '../setup/workspace.mjs';
import { startChild } from './child.mjs';
import { startGateway } from './gateway.mjs';
import { serverSettings } from './servers.mjs';

/** How long a replica keeps answering after it got its last request. */
const LAME_DUCK_MS = 300;
const LISTENS = / listens on (\S+)$/;
export const ONE_EACH = { ingestion: 1, reembedding: 1, query: 1 };

/** The identity of an installation, kept in its folder: its namespace on the servers, and its secrets. */
const identityIn = async (folder) => {
  const file = join(folder, 'installation.json');
  await mkdir(folder, { recursive: true });
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    const identity = {
      namespace: `p${randomBytes(5).toString('hex')}`,
      masterKey: randomBytes(32).toString('hex'),
      adminKey: `plk_${randomBytes(32).toString('base64url')}`,
    };
    await writeFile(file, JSON.stringify(identity), { mode: 0o600 });
    return identity;
  }
};

/** Resolves when the process reports that it is ready, or has ended. */
const untilReady = async (child) => {
  let over = false;
  void child.ended.then(() => (over = true));
  while (
    !over &&
    !(await fetch(`${child.address}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(100);
};

/** The environment of the parent process must not configure the services. */
const inherited = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_') && name !== 'NODE_OPTIONS'));

/**
 * @param {{ servers: import('./servers.d.mts').Servers, folder: string, settings?: Record<string, string>, replicas?: Record<string, number>, port?: number, onLine?: (name: string, text: string) => void }} options
 * @returns {Promise<import('./installation.d.mts').Installation>}
 */
export const startInstallation = async ({ servers, folder, settings = {}, replicas = ONE_EACH, port = 0, onLine = () => {} }) => {
  const { namespace, masterKey, adminKey } = await identityIn(folder);
  const slots = Object.entries(replicas).flatMap(([service, count]) =>
    Array.from({ length: count }, (_, replica) => ({ service, replica, child: undefined, ready: false })),
  );

  const start = async (slot, onSpawn) => {
    const name = `${slot.service}-${slot.replica}`;
    const env = {
      ...inherited(),
      ...serverSettings(servers),
      PALIMPSEST_NAMESPACE: namespace,
      PALIMPSEST_EVENTSTORE_NAMESPACE: namespace,
      PALIMPSEST_MASTER_KEY: masterKey,
      PALIMPSEST_ADMIN_KEY: adminKey,
      PALIMPSEST_STATE: join(folder, name),
      PALIMPSEST_PORT: '0',
      ...settings,
    };
    const child = await startChild(inRoot('apps', slot.service, 'dist', 'main.js'), [], {
      ready: LISTENS,
      env,
      name,
      onError: (text) => onLine(name, text),
      onSpawn,
    });
    Object.assign(slot, { child, ready: false, leaving: false });
    child.ended.then(() => slot.child === child && Object.assign(slot, { child: undefined, ready: false }));
    void untilReady(child).then(() => slot.child === child && (slot.ready = true));
    return child;
  };
  const running = (service) => slots.filter(({ service: of, child }) => of === service && child);
  const replicasOf = (service) => running(service).map(({ child }) => child.address);
  // Like a load balancer with readiness checks: a replica that is catching up gets requests only if there is no other.
  const forCallers = (service) => {
    const ready = running(service).filter((slot) => slot.ready);
    const staying = running(service).filter((slot) => !slot.leaving);
    return (ready.length > 0 ? ready : staying).map(({ child }) => child.address);
  };
  const all = (how) => Promise.all(slots.map(async (slot) => slot.child?.[how]()));

  // One first: it creates shared things, such as topics.
  const [first, ...others] = slots;
  const begun = [];
  try {
    if (first) begun.push(await start(first));
    await Promise.all(others.map(async (slot) => begun.push(await start(slot))));
    const gateway = await startGateway(forCallers, port, adminKey);
    return {
      url: gateway.url,
      key: adminKey,
      namespace,
      slots,
      start,
      retire: async (slot) => {
        // Like an orchestrator: first no new requests, then the signal.
        slot.ready = false;
        slot.leaving = true;
        await sleep(LAME_DUCK_MS);
        return slot.child?.stop();
      },
      replicasOf,
      stop: async () => {
        const ended = await all('stop');
        await gateway.close();
        return ended.filter((one) => one !== undefined);
      },
      kill: async () => {
        const ended = await all('kill');
        await gateway.close();
        return ended.filter((one) => one !== undefined);
      },
    };
  } catch (error) {
    await Promise.all(begun.map((child) => child.kill()));
    throw error;
  }
};
