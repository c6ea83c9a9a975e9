import { embeddingVersion } from '../values/versions.ts';
import { modelIdOf } from '../values/model.ts';
import type { ModelEvent } from '../events/model-events.ts';
import { models, type ModelsCommand } from './models.ts';

const now = '2026-11-25T08:00:00.000Z';
const version = embeddingVersion('local:bge-m3/1024');
const model = { model: modelIdOf(version), version, definition: { onnx: 'bge-m3' } };
const added: ModelEvent = { type: 'ModelAdded', data: { ...model, addedAt: now } };
const removed: ModelEvent = { type: 'ModelRemoved', data: { model: model.model, removedAt: now } };
const ADD: ModelsCommand = { type: 'AddModel', model, now };
const REMOVE: ModelsCommand = { type: 'RemoveModel', model: model.model, now };

const given = (...events: readonly ModelEvent[]) => events.reduce((state, event, i) => models.evolve(state, event, i), models.initial());

describe('the models of an installation', () => {
  it('are added once', () => {
    expect(models.decide(ADD, given())).toEqual([added]);
    expect(() => models.decide(ADD, given(added))).toThrow('was added before');
  });

  it('are removed, and can be added again', () => {
    expect(models.decide(REMOVE, given(added))).toEqual([removed]);
    expect(models.decide(ADD, given(added, removed))).toEqual([added]);
  });

  it('are not removed if they were not added', () => {
    expect(() => models.decide(REMOVE, given())).toThrow('model "local_bge-m3_1024" not found');
    expect(() => models.decide(REMOVE, given(added, removed))).toThrow('not found');
  });

  it('have the fingerprint that was recorded first, also after they were removed and added again', () => {
    const [first, second] = [['AQI='], ['AwQ=']];
    const record = (fingerprint: readonly string[]): ModelsCommand => ({ type: 'RecordFingerprint', model: { version, fingerprint }, now });
    const recorded: ModelEvent = { type: 'ModelFingerprinted', data: { version, fingerprint: first, fingerprintedAt: now } };
    expect(models.decide(record(first), given(added))).toEqual([recorded]);
    expect(models.decide(record(second), given(recorded, added, removed, added))).toEqual([]);
    expect(given(added, recorded, removed).fingerprints).toEqual(new Map([[version, first]]));
  });
});
