import { Conflict, NotFound, unreachable } from '../errors.ts';
import type { ModelAdded, ModelEvent } from '../events/model-events.ts';
import type { ModelId } from '../values/model.ts';
import type { Decider } from './decider.ts';

export type ModelsCommand =
  | Readonly<{ type: 'AddModel'; model: Omit<ModelAdded['data'], 'addedAt'>; now: string }>
  /** The caller checks that no scope uses the model: scopes have streams of their own. */
  | Readonly<{ type: 'RemoveModel'; model: ModelId; now: string }>;

/** The models that operators added. */
export type AddedModelIds = ReadonlySet<ModelId>;

const decide = (command: ModelsCommand, state: AddedModelIds): readonly ModelEvent[] => {
  switch (command.type) {
    case 'AddModel':
      if (state.has(command.model.model))
        throw new Conflict(`the model ${command.model.model} was added before; remove it first to change its definition`);
      return [{ type: 'ModelAdded', data: { ...command.model, addedAt: command.now } }];
    case 'RemoveModel':
      if (!state.has(command.model)) throw new NotFound('model', command.model);
      return [{ type: 'ModelRemoved', data: { model: command.model, removedAt: command.now } }];
    default:
      return unreachable(command);
  }
};

const evolve = (state: AddedModelIds, event: ModelEvent): AddedModelIds => {
  switch (event.type) {
    case 'ModelAdded':
      return new Set([...state, event.data.model]);
    case 'ModelRemoved':
      return new Set([...state].filter((model) => model !== event.data.model));
    default:
      return unreachable(event);
  }
};

/** The models that operators add to an installation and remove from it. */
export const models: Decider<ModelsCommand, AddedModelIds, ModelEvent> = { initial: () => new Set(), decide, evolve };
