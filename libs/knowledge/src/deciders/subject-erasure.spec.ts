import { NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import type { SubjectEvent } from '../events/subject-events.ts';
import { vectorScope } from '../values/scope.ts';
import { subjectKey } from '../values/subject.ts';
import { subjectErasure } from './subject-erasure.ts';

const { given } = specify(subjectErasure);
const subject = subjectKey('5b0f8e2c4a7d49139c6e1f20a8b3d457');
const scopes = [vectorScope('team:red'), vectorScope('user:ann')];
const requested: SubjectEvent = { type: 'SubjectErasureRequested', data: { subject, requestedAt: NOW } };
const erased: SubjectEvent = { type: 'SubjectErased', data: { subject, scopes, documents: 3, erasedAt: NOW } };
const completed: SubjectEvent = { type: 'SubjectErasureCompleted', data: { subject, receipt: '{}', completedAt: NOW } };

const request = { type: 'RequestErasure', subject, now: NOW } as const;
const record = { type: 'RecordErased', subject, scopes, documents: 3, now: NOW } as const;
const complete = { type: 'CompleteErasure', subject, receipt: '{}', now: NOW } as const;

describe('the erasure of a data subject', () => {
  it('is requested, happens and is completed once each', () =>
    void given()
      .when(request)
      .then(requested)
      .when(request)
      .then()
      .when(record)
      .then(erased)
      .when({ ...record, documents: 4 })
      .then()
      .when(complete)
      .then(completed)
      .when(complete)
      .then()
      .when(request)
      .then());

  it('is not completed before the key is destroyed, nor recorded without a request', () => {
    void given(requested).when(complete).then();
    void given().when(record).then();
  });
});
