/** The background thread of a catalog: work that waits for the disk or reads whole files would block the event loop. */
import { serveCalls } from '../log/serve-calls.ts';
import type { CatalogCalls } from './catalog-calls.ts';
import type { CatalogFile } from './catalog-files.ts';
import { replaceScopes } from './replace-scopes.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';

let file: CatalogFile = { path: '', isTemporary: false };
let opened: WalCheckpointer | undefined;
// Created on first use: the catalog itself is still being opened when this thread starts.
const checkpointer = (): WalCheckpointer => (opened ??= new WalCheckpointer(file.path));

serveCalls<CatalogCalls>(
  {
    open: (request) => {
      file = request;
      return null;
    },
    checkpoint: () => checkpointer().checkpoint(),
    changed: ({ first, count }) => checkpointer().changed(first, count),
    problems: ({ max }) => checkpointer().problems(max),
    replaceScopes: (request) => {
      replaceScopes(file, request);
      return null;
    },
    close: () => {
      opened?.close();
      return null;
    },
  },
  (message) => `the catalog is damaged (${message})`,
);
