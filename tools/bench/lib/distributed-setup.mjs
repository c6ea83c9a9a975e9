import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { startInstallation } from '../../distributed/installation.mjs';
import { PlatformProcess } from './platform-process.mjs';

/** Installations for `distributed.mjs`, and their requests over HTTP, the same for services and the embedded platform. */

const STATUS_MS = 100;
/** Maximum number of concurrent requests while documents are submitted. */
const SUBMITTERS = 8;

/** So that a full queue refuses nothing, and logging costs the same on both sides. */
const QUIET = { PALIMPSEST_LOG_LEVEL: 'error', PALIMPSEST_QUEUE_CAPACITY: '1000000' };

const jsonOf = async (response, what) => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${what}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

/** A client for one address: a gateway, a replica or the platform. */
export const openClient = (url, key) => {
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    return jsonOf(
      await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
      `${method} ${path}`,
    );
  };
  const submit = async ({ name, text, mediaType }) => {
    const { documents } = await ask('POST', '/v1/documents', { sourceId: name, text, ...(mediaType ? { mediaType } : {}) });
    const [outcome] = documents;
    if (outcome.status !== 'accepted') throw new Error(`${name} was not accepted: ${JSON.stringify(outcome)}`);
    return outcome;
  };
  const submitAll = async (documents) => {
    const left = documents.values();
    const submitter = async () => {
      for (const document of left) await submit(document);
    };
    await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
  };
  /** Waits until no document is pending or processing and at least `total` documents exist; returns the status. */
  const settled = async (total) => {
    for (;;) {
      const status = await ask('GET', '/v1/status');
      const { pending, processing, indexed, failed } = status.documents;
      if (pending + processing === 0 && indexed + failed >= total) return status;
      await sleep(STATUS_MS);
    }
  };
  return { url, key, ask, submit, submitAll, settled };
};

/** The embedded platform on a folder, with a client. */
export const startEmbedded = async (folder, settings) => {
  const platform = await PlatformProcess.start(folder, { ...QUIET, ...settings });
  const key = (await readFile(join(folder, 'keys', 'local-api-key'), 'utf8')).trim();
  return { client: openClient(platform.url, key), cpuMs: () => platform.cpuMs(), stop: () => platform.stop() };
};

/** A new installation on running servers, with a client at its gateway. Its faults are printed, since they would explain a figure. */
export const startServices = async (servers, folder, settings, replicas) => {
  const onLine = (name, text) => process.stderr.write(`${name}: ${text}`);
  const installation = await startInstallation({ servers, folder, settings: { ...QUIET, ...settings }, replicas, onLine });
  // `listens` is printed before the followers have caught up.
  for (const url of installation.slots.map(({ child }) => child.address)) await untilReady(url);
  return { ...installation, client: openClient(installation.url, installation.key) };
};

export const untilReady = async (url) => {
  while ((await fetch(`${url}/health/ready`).catch(() => undefined))?.status !== 200) await sleep(10);
};

/** The event log of an installation, for direct access. */
export const openLogOf = (servers, { namespace }) => openEventStoreLog({ connectionString: servers.eventStore.address, namespace });
