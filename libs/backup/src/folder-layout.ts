import { join } from 'node:path';

/** Paths in the data folder of an embedded platform. `readModels` and `bus` can be deleted at any time: they are rebuilt from the log. `pastViews` is emptied at each start. */
export type FolderLayout = Readonly<{
  root: string;
  log: string;
  blobs: string;
  masterKey: string;
  localKey: string;
  queues: string;
  readModels: string;
  pastViews: string;
  server: string;
}>;

export const folderLayout = (root: string): FolderLayout => ({
  root,
  log: join(root, 'log', 'events.db'),
  blobs: join(root, 'blobs'),
  masterKey: join(root, 'keys', 'master.key'),
  localKey: join(root, 'keys', 'local-api-key'),
  queues: join(root, 'bus', 'queues.db'),
  readModels: join(root, 'read-models'),
  pastViews: join(root, 'past-views'),
  server: join(root, 'server.json'),
});
