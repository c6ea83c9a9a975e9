import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '@palimpsest/test-kit';

/** A cluster for specs: the one that KAFKA_BROKERS names, or a new one. */
export type Cluster = Readonly<{
  brokers: readonly string[];
  /** The shortest that the cluster allows. */
  sessionTimeoutMs: number;
  stop(): Promise<void>;
}>;

/** Default of `group.min.session.timeout.ms`; the nodes of tools/kafka allow less. */
const KAFKA_MIN_MS = 6_000;

export const openCluster = async (given: string | undefined): Promise<Cluster> => {
  if (given !== undefined && given !== '')
    return { brokers: given.split(','), sessionTimeoutMs: KAFKA_MIN_MS, stop: async () => undefined };
  return startCluster(1);
};

/** A cluster that specs may damage. */
export const startCluster = async (nodes: 1 | 3): Promise<Cluster & Readonly<{ server: ServerProcess }>> => {
  const data = await mkdtemp(join(tmpdir(), 'palimpsest-kafka-'));
  const server = await ServerProcess.start('kafka', ['--data', data, '--brokers', String(nodes)]);
  return {
    server,
    brokers: server.address.split(','),
    sessionTimeoutMs: 1_500,
    stop: async () => {
      await server.stop();
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

let prefixes = 0;
/** Prefix of the topics and groups of one spec. */
export const freshPrefix = (): string => `spec-${process.pid}-${Date.now()}-${(prefixes += 1)}.`;
