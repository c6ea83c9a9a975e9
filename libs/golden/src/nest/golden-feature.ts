import type { Journal } from '@palimpsest/contracts';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { feature, type Now, type OnFault } from '@palimpsest/runtime';
import { GoldenSets } from '../golden-sets.ts';
import { GoldenController } from './golden-controller.ts';

type GoldenPorts = Readonly<{ journal: Journal; keys: ScopeKeys; catalog: Catalog; now: Now; onFault: OnFault }>;

/** The golden queries of scopes. What reads them gets the port `GoldenQueries`. */
export const golden = feature('golden', ({ journal, keys, catalog, now, onFault }: GoldenPorts) => ({
  useCases: [new GoldenSets({ journal, keys, catalog, now, onFault })],
  routes: [GoldenController],
}));
