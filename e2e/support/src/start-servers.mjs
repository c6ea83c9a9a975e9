import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '../../../tools/distributed/servers.mjs';

/** Starts the servers once for the whole run; each installation uses its own names on them. */
export default async () => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-servers-'));
  const servers = await startServers(folder);
  const described = ({ address, lines }) => ({ address, lines });
  const { kafka, eventStore, qdrant, s3, replication } = servers;
  process.env.E2E_SERVERS = JSON.stringify({
    kafka: described(kafka),
    eventStore: described(eventStore),
    qdrant: described(qdrant),
    s3: described(s3),
    replication,
  });
  globalThis.stopE2eServers = async () => {
    await servers.stop();
    await rm(folder, { recursive: true, force: true });
  };
};
