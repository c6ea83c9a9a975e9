import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { ModelRegistry } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { feature, type Now, type OnFault } from '@palimpsest/runtime';
import { AddedModels } from '../added-models.ts';
import { ManageModels } from '../manage-models.ts';
import { TestModels } from '../test-model.ts';
import { ModelsController } from './models-controller.ts';

type FollowerPorts = Readonly<{ journal: Journal; providers: ModelRegistry; system: System; onFault: OnFault }>;
type ModelsPorts = FollowerPorts & Readonly<{ catalog: Catalog; now: Now }>;

/** Lists, adds, removes and tests models, and makes the added ones available in this process. */
export const models = feature('models', ({ journal, providers, system, onFault, catalog, now }: ModelsPorts) => {
  const added = new AddedModels({ journal, providers, system, onFault });
  return {
    followers: [added],
    useCases: [new ManageModels({ journal, catalog, providers, added, now }), new TestModels({ providers, added, system })],
    routes: [ModelsController],
  };
});

/** Makes the added models available in a process that does not manage them. */
export const addedModels = feature('added-models', ({ journal, providers, system, onFault }: FollowerPorts) => ({
  followers: [new AddedModels({ journal, providers, system, onFault })],
  routes: [],
}));
