import type { ModelFingerprint } from '../values/canary-strings.ts';
import type { ModelDefinition, ModelId } from '../values/model.ts';
import type { EmbeddingVersion } from '../values/versions.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/** An operator made a model available. `definition` names the environment variable of a key, never the key. */
export type ModelAdded = Event<'ModelAdded', { model: ModelId; version: EmbeddingVersion; definition: ModelDefinition; addedAt: string }>;
export type ModelRemoved = Event<'ModelRemoved', { model: ModelId; removedAt: string }>;

/**
 * A model was used for passages for the first time. All later vectors of its version have to come from the same model. It belongs to the
 * version and not to a generation, since generations of all scopes share the vectors of a version. The texts are ours and public.
 */
export type ModelFingerprinted = Event<
  'ModelFingerprinted',
  { version: EmbeddingVersion; fingerprint: ModelFingerprint; fingerprintedAt: string }
>;

export type ModelEvent = ModelAdded | ModelRemoved | ModelFingerprinted;

/** The projections that read each type. They belong to the installation, so the list of events, which belongs to tenants, does not show them. */
export const MODEL_READERS = {
  ModelAdded: ['models'],
  ModelRemoved: ['models'],
  ModelFingerprinted: ['models'],
} as const satisfies ReadersOf<ModelEvent>;
