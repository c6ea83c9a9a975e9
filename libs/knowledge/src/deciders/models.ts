import { Conflict, NotFound, unreachable } from '../errors.ts';
import type { ModelAdded, ModelEvent, ModelFingerprinted } from '../events/model-events.ts';
import type { ModelFingerprint } from '../values/canary-strings.ts';
import type { ModelId } from '../values/model.ts';
import type { EmbeddingVersion } from '../values/versions.ts';
import type { Decider } from './decider.ts';

export type ModelsCommand =
  | Readonly<{ type: 'AddModel'; model: Omit<ModelAdded['data'], 'addedAt'>; now: string }>
  /** The caller checks that no scope uses the model: scopes have streams of their own. */
  | Readonly<{ type: 'RemoveModel'; model: ModelId; now: string }>
  /** Nothing happens if the version has a fingerprint: the first one stays, also if the model is removed and added again. */
  | Readonly<{ type: 'RecordFingerprint'; model: Omit<ModelFingerprinted['data'], 'fingerprintedAt'>; now: string }>;

/** `added`: the models that operators added. */
export type Models = Readonly<{ added: ReadonlySet<ModelId>; fingerprints: ReadonlyMap<EmbeddingVersion, ModelFingerprint> }>;

const decide = (command: ModelsCommand, { added, fingerprints }: Models): readonly ModelEvent[] => {
  switch (command.type) {
    case 'AddModel':
      if (added.has(command.model.model))
        throw new Conflict(`the model ${command.model.model} was added before; remove it first to change its definition`);
      return [{ type: 'ModelAdded', data: { ...command.model, addedAt: command.now } }];
    case 'RemoveModel':
      if (!added.has(command.model)) throw new NotFound('model', command.model);
      return [{ type: 'ModelRemoved', data: { model: command.model, removedAt: command.now } }];
    case 'RecordFingerprint':
      if (fingerprints.has(command.model.version)) return [];
      return [{ type: 'ModelFingerprinted', data: { ...command.model, fingerprintedAt: command.now } }];
    default:
      return unreachable(command);
  }
};

const evolve = (state: Models, event: ModelEvent): Models => {
  switch (event.type) {
    case 'ModelAdded':
      return { ...state, added: new Set([...state.added, event.data.model]) };
    case 'ModelRemoved':
      return { ...state, added: new Set([...state.added].filter((model) => model !== event.data.model)) };
    case 'ModelFingerprinted':
      return { ...state, fingerprints: new Map([...state.fingerprints, [event.data.version, event.data.fingerprint]]) };
    default:
      return unreachable(event);
  }
};

/** The models that operators add to an installation and remove from it, and what the vectors of each version have to be like. */
export const models: Decider<ModelsCommand, Models, ModelEvent> = {
  initial: () => ({ added: new Set(), fingerprints: new Map() }),
  decide,
  evolve,
};
