import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '@palimpsest/test-kit';

/** A new namespace, without events. */
export const aNamespace = (): string => `t${randomUUID().replaceAll('-', '')}`;

/** A test server for one test, which can be killed and injected with faults. */
export type OwnServer = Readonly<{
  process: ServerProcess;
  /** Its connection string. */
  url: string;
  /** See tools/eventstore-server/README.md. */
  faults(wish: Readonly<Record<string, number | boolean | object>>): Promise<void>;
  dispose(): Promise<void>;
}>;

/** `version`: the version whose answers it gives, where versions differ. */
export const startServer = async (version?: string): Promise<OwnServer> => {
  const data = await mkdtemp(join(tmpdir(), 'eventstore-'));
  const process = await ServerProcess.start('eventstore-server', [
    '--data',
    data,
    ...(version === undefined ? [] : ['--version', version]),
  ]);
  return {
    process,
    url: process.address,
    faults: async (wish) => {
      const answer = await fetch(`${process.line('control')}/faults`, { method: 'POST', body: JSON.stringify(wish) });
      if (!answer.ok) throw new Error(await answer.text());
    },
    dispose: async () => {
      await process.kill();
      await rm(data, { recursive: true, force: true });
    },
  };
};

/** The real server that EVENTSTORE_URL names, or a test server. */
export const serverUnderTest = async (): Promise<Readonly<{ url: string; dispose(): Promise<void> }>> => {
  const real = process.env['EVENTSTORE_URL'];
  return real ? { url: real, dispose: async () => undefined } : startServer();
};
