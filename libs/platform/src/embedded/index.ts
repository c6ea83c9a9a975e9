export { openEmbeddedAdapters, type EmbeddedAdapters, type EmbeddedPorts } from './open-adapters.ts';
export { openDataFolder } from './data-folder.ts';
export { singleNodeLeases } from './single-node-leases.ts';
