import { setTimeout as sleep } from 'node:timers/promises';
import { openBlobCheckpoints, openS3BlobStore } from '@palimpsest/adapters-s3';
import { blobKey } from '@palimpsest/knowledge/ports';
import { redeliverOutOfOrder } from './redelivery.ts';
import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import type { Server, Servers } from '../../../tools/distributed/servers.mjs';

/** Faults of the servers. Each method resolves when the fault is over and the server works again. */
export class ServerFaults {
  readonly #servers: Servers;
  readonly #namespace: string;

  constructor(servers: Servers, namespace: string) {
    this.#servers = servers;
    this.#namespace = namespace;
  }

  /** Kills the broker (SIGKILL), and starts it again on the same data. */
  async killBroker(awayMs: number): Promise<void> {
    const { kafka } = this.#servers;
    await control(kafka, 'POST', '/kill', { broker: 1 });
    await sleep(awayMs);
    await control(kafka, 'POST', '/start', { broker: 1 });
  }

  async dropConnectionsOfTheLog(): Promise<void> {
    await control(this.#servers.eventStore, 'POST', '/faults', { dropConnections: true });
  }

  async killTheLog(awayMs: number): Promise<void> {
    await killAndStart(this.#servers.eventStore, awayMs);
  }

  async stopQdrant(awayMs: number): Promise<void> {
    const outage = sleep(awayMs);
    await control(this.#servers.qdrant, 'POST', '/faults', { awayMs });
    await outage;
  }

  async killQdrant(awayMs: number): Promise<void> {
    await killAndStart(this.#servers.qdrant, awayMs);
  }

  /** Every request fails; some of them are executed nevertheless. */
  async failingS3(forMs: number): Promise<void> {
    const { s3 } = this.#servers;
    const always = { times: 1_000_000 };
    await control(s3, 'POST', '/faults', [
      { kind: 'fail-after', method: 'PUT', status: 500, code: 'InternalError', times: 2 },
      { kind: 'reset-before', method: 'GET', times: 2 },
      { kind: 'fail', status: 503, code: 'SlowDown', ...always },
    ]);
    await sleep(forMs);
    await control(s3, 'DELETE', '/faults');
  }

  /** Delivers everything again, out of order across documents. */
  async redeliverOutOfOrder(random: SeededRandom): Promise<void> {
    await redeliverOutOfOrder(this.#servers, this.#namespace, random);
  }

  /** Deletes the checkpoint of the relay, so that its next run publishes everything again. @returns the deleted checkpoint */
  async forgetRelay(): Promise<bigint> {
    const { address, lines } = this.#servers.s3;
    const blobs = await openS3BlobStore({
      endpoint: address,
      region: lines['region'] ?? '',
      bucket: lines['bucket'] ?? '',
      accessKeyId: lines['access-key'] ?? '',
      secretAccessKey: lines['secret-key'] ?? '',
      prefix: this.#namespace,
    });
    try {
      const reached = await openBlobCheckpoints(blobs).get('relay');
      await blobs.delete(blobKey('checkpoints/relay'));
      return reached;
    } finally {
      await blobs.close();
    }
  }
}

const killAndStart = async (server: Server, awayMs: number): Promise<void> => {
  if (!server.child || !server.startAgain) throw new Error(`the server at ${server.address} was not started by this suite`);
  await server.child.kill();
  await sleep(awayMs);
  await server.startAgain();
};

const control = async ({ lines }: Server, method: string, path: string, body?: unknown): Promise<void> => {
  const response = await fetch(`${lines['control'] ?? ''}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} on the control port failed: ${response.status} ${await response.text()}`);
};
