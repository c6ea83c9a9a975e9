import { NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { KnowledgeBaseEvent, KnowledgeBaseSettings } from '../events/knowledge-base-events.ts';
import { knowledgeBaseId } from '../values/ids.ts';
import { DEPLOYMENT, vectorScope } from '../values/scope.ts';
import { knowledgeBase, type KnowledgeBaseCommand } from './knowledge-base.ts';

const { given } = specify(knowledgeBase);
const id = knowledgeBaseId('handbook');

const settings = (part: Partial<KnowledgeBaseSettings> = {}): KnowledgeBaseSettings => ({
  name: 'Handbook',
  description: '',
  ...part,
  chunking: {
    markdown: { maxChars: 1500 },
    tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
    sheets: { maxChars: 1500 },
    code: { maxChars: 1500, overlap: 200 },
    ...part.chunking,
  },
});
const larger = settings({ chunking: { ...settings().chunking, markdown: { maxChars: 3000 } } });

const created = (of = settings()): KnowledgeBaseEvent => ({
  type: 'KnowledgeBaseCreated',
  data: { id, scope: DEPLOYMENT, documentIds: 'keyed', ...of, createdAt: NOW },
});
const configured = (of: KnowledgeBaseSettings): KnowledgeBaseEvent => ({
  type: 'KnowledgeBaseConfigured',
  data: { id, ...of, configuredAt: NOW },
});
const archived: KnowledgeBaseEvent = { type: 'KnowledgeBaseArchived', data: { id, archivedAt: NOW } };

const paused: KnowledgeBaseEvent = { type: 'KnowledgeBasePaused', data: { id, pausedAt: NOW } };
const resumed: KnowledgeBaseEvent = { type: 'KnowledgeBaseResumed', data: { id, resumedAt: NOW } };

const requested: KnowledgeBaseEvent = { type: 'KnowledgeBaseDeletionRequested', data: { id, requestedAt: NOW } };
const deleted: KnowledgeBaseEvent = { type: 'KnowledgeBaseDeleted', data: { id, deletedAt: NOW } };

const create = (of = settings(), scope = DEPLOYMENT): KnowledgeBaseCommand => ({ type: 'Create', id, scope, settings: of, now: NOW });
const configure = (of: KnowledgeBaseSettings): KnowledgeBaseCommand => ({ type: 'Configure', id, settings: of, now: NOW });
const archive: KnowledgeBaseCommand = { type: 'Archive', id, now: NOW };
const pause: KnowledgeBaseCommand = { type: 'Pause', id, now: NOW };
const resume: KnowledgeBaseCommand = { type: 'Resume', id, now: NOW };
const requestDeletion: KnowledgeBaseCommand = { type: 'RequestDeletion', id, now: NOW };
const completeDeletion: KnowledgeBaseCommand = { type: 'CompleteDeletion', id, now: NOW };

describe('the deletion of a knowledge base', () => {
  it.each<[string, readonly KnowledgeBaseEvent[]]>([
    ['active', [created()]],
    ['paused', [created(), paused]],
    ['archived', [created(), archived]],
  ])(
    'is requested once and completed once, if it is %s',
    (_, before) =>
      void given(...before)
        .when(requestDeletion)
        .then(requested)
        .when(requestDeletion)
        .then()
        .when(completeDeletion)
        .then(deleted),
  );
  it.each([create(), configure(settings({ name: 'Other' })), archive, pause, resume])(
    'refuses other changes meanwhile: $type',
    (change) => {
      given(created(), requested)
        .when(change)
        .thenRefuses(Conflict, /"handbook" is being deleted/);
    },
  );
  it('is not completed before it is requested', () => void given(created()).when(completeDeletion).then());
  it('leaves nothing that could be changed, and its id is not used again', () => {
    for (const change of [requestDeletion, completeDeletion, configure(settings()), resume])
      given(created(), requested, deleted)
        .when(change)
        .thenRefuses(NotFound, /"handbook" not found/);
    given(created(), requested, deleted)
      .when(create())
      .thenRefuses(Conflict, /its id is not used again/);
  });
});

describe('a knowledge base', () => {
  it('is created once; creating it again with the same settings changes nothing', () =>
    void given().when(create()).then(created()).when(create()).then());
  it('does not change when a request names the empty settings of a chunker that is newer than the knowledge base', () => {
    const { code: _, ...earlier } = settings().chunking;
    const before = { ...settings(), chunking: earlier };
    const after = { ...before, chunking: { ...earlier, code: {} } };
    void given(created(before)).when(create(after)).then();
    void given(created(before)).when(configure(after)).then();
  });

  it('cannot be created again with other settings, in another scope, or after it was archived', () => {
    given(created())
      .when(create(settings({ name: 'Other' })))
      .thenRefuses(Conflict, /"handbook" already exists/);
    given(created())
      .when(create(settings(), vectorScope('platform')))
      .thenRefuses(Conflict);
    given(created(), archived).when(create()).thenRefuses(Conflict);
  });
  it('is configured only if something changes', () =>
    void given(created())
      .when(configure(larger))
      .then(configured(larger))
      .when(configure(larger))
      .then()
      .when(configure(settings()))
      .then(configured(settings())));
  it('declares a language until it declares none (missing or `und`)', () => {
    const german = settings({ language: 'de' });
    given(created(german))
      .when(configure({ ...german, language: 'und' }))
      .then(configured(settings()))
      .when(configure(settings({ language: 'und' })))
      .then();
    given()
      .when(create(settings({ language: 'und' })))
      .then(created());
    given(created()).when(create(german)).thenRefuses(Conflict);
  });
  it('declares fields until it declares none (missing or empty), and replaces them as a whole', () => {
    const first = settings({ fields: { 'label.year': 'number' } });
    const second = settings({ fields: { 'label.due': 'date' } });
    given(created(first)).when(create(first)).then();
    given(created(first))
      .when(configure(second))
      .then(configured(second))
      .when(configure(second))
      .then()
      .when(configure(settings({ fields: {} })))
      .then(configured(settings()))
      .when(configure(settings({ fields: {} })))
      .then();
    given()
      .when(create(settings({ fields: {} })))
      .then(created());
    given(created()).when(create(first)).thenRefuses(Conflict);
  });
  it('has synonyms until it has none (missing or empty), and replaces them as a whole', () => {
    const first = settings({ synonyms: ['sso, single sign-on'] });
    const second = settings({ synonyms: ['k8s => kubernetes'] });
    given(created(first)).when(create(first)).then();
    given(created(first))
      .when(configure(second))
      .then(configured(second))
      .when(configure(second))
      .then()
      .when(configure(settings({ synonyms: [] })))
      .then(configured(settings()))
      .when(configure(settings()))
      .then();
    given(created()).when(create(first)).thenRefuses(Conflict);
  });
  it('keeps its scope in every configuration', () =>
    given(created())
      .when(configure(larger))
      .thenState((state) => expect(state).toEqual({ status: 'active', scope: 'deployment', documentIds: 'keyed', settings: larger })));
  it('is archived once, and cannot be configured afterwards', () => {
    given(created()).when(archive).then(archived).when(archive).then();
    given(created(), archived)
      .when(configure(larger))
      .thenRefuses(Conflict, /is archived/);
  });
  it('is paused once, and resumed once', () =>
    void given(created()).when(pause).then(paused).when(pause).then().when(resume).then(resumed).when(resume).then());
  it('is resumed only if it was paused', () => void given(created()).when(resume).then());
  it('keeps its scope and settings while paused, and can be configured', () => {
    given(created())
      .when(pause)
      .thenState((state) => expect(state).toEqual({ status: 'paused', scope: 'deployment', documentIds: 'keyed', settings: settings() }));
    given(created(), paused)
      .when(configure(larger))
      .thenState((state) => expect(state).toEqual({ status: 'paused', scope: 'deployment', documentIds: 'keyed', settings: larger }));
  });
  it('accepts the same creation again while it is paused', () => void given(created(), paused).when(create()).then());
  it('cannot be archived while it is paused', () => {
    given(created(), paused)
      .when(archive)
      .thenRefuses(Conflict, /"handbook" is paused: resume it/);
    given(created(), paused, resumed).when(archive).then(archived);
  });
  it('is neither paused nor resumed after it was archived', () => {
    for (const command of [pause, resume])
      given(created(), archived)
        .when(command)
        .thenRefuses(Conflict, /is archived/);
  });
  it('must exist', () => {
    given().when(pause).thenRefuses(NotFound);
    given().when(resume).thenRefuses(NotFound);
    given().when(archive).thenRefuses(NotFound);
    given().when(configure(larger)).thenRefuses(NotFound);
  });
});
