/** `npm run docs`: writes the pages of docs/reference that are generated from the code. */
import { runOnPinnedNode } from './run-on-pinned-node.mjs';

await runOnPinnedNode(async () => {
  const { makePages, writePages } = await import('./pages.mjs');
  return async () => {
    for (const file of writePages(await makePages())) process.stdout.write(`written: ${file}\n`);
    return 0;
  };
});
