import { aRecipe, LARGE, MINI, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, Forbidden, NotFound } from '../errors.ts';
import type { PlanAuthor } from '../events/plan-events.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { planId } from '../values/plan-id.ts';
import { vectorScope } from '../values/scope.ts';
import { generationId } from '../values/versions.ts';
import type { PlanFigures, PlannedStart } from './scope-plan.ts';
import { scope, type ScopeCommand } from './scope.ts';

const { given } = specify(scope);
const red = vectorScope('team:red');
const [P1, P2] = [planId('p1'), planId('p2')];
const ANN: PlanAuthor = { actor: 'key-1', user: 'ann' };
const BOB: PlanAuthor = { actor: 'key-2', user: 'bob' };
const LIMITS = { tokensPerMinute: 1_000, batchSize: 16 };

const figures = (part: Partial<PlanFigures> = {}): PlanFigures => ({
  ...{ recipe: aRecipe(LARGE), cutover: 'gate', limits: LIMITS, pricePerMillionTokens: 0.02, cost: 0.1, documents: 10, chunks: 100 },
  tokens: { texts: 5_000, embedded: 5_000, method: 'counted', tokenizer: 'wordpiece', read: 100 },
  ...{ reusable: { chunks: 0, exact: true }, bytes: { vectors: 409_600 }, seed: 1, upTo: '90', by: ANN, knowledgeBases: [] },
  ...part,
});
const opened: ScopeEvent = { type: 'ScopeOpened', data: { scope: red, openedAt: NOW } };
const generationOf = (number: number, version = MINI): ScopeEvent => ({
  type: 'GenerationStarted',
  data: { scope: red, generation: generationId(`g${number}`), recipe: aRecipe(version), startedAt: NOW },
});
const activated = (number: number): ScopeEvent => ({
  type: 'GenerationActivated',
  data: { scope: red, generation: generationId(`g${number}`), activatedAt: NOW },
});
const retired: ScopeEvent = { type: 'GenerationRetired', data: { scope: red, generation: generationId('g2'), retiredAt: NOW } };
const plannedAs = (id = P1, part: Partial<PlanFigures> = {}): ScopeEvent => ({
  type: 'SwapPlanned',
  data: { ...figures(part), scope: red, plan: id, plannedAt: NOW },
});
const approvedBy = (by: PlanAuthor, id = P1): ScopeEvent => ({
  type: 'SwapPlanApproved',
  data: { scope: red, plan: id, approvedAt: NOW, by },
});
const startedBy = (id = P1): ScopeEvent => ({
  type: 'GenerationStarted',
  data: { scope: red, generation: generationId('g2'), recipe: aRecipe(LARGE), startedAt: NOW, cutover: 'gate', plan: id },
});
const OPEN = [opened, generationOf(1), activated(1)];
const PLANNED = [...OPEN, plannedAs()];

const plan = (part: Partial<PlanFigures> = {}): ScopeCommand => ({ type: 'RecordPlan', scope: red, figures: figures(part), now: NOW });
const approve = (by: PlanAuthor, id = P1): ScopeCommand => ({ type: 'ApprovePlan', scope: red, plan: id, by, now: NOW });
type Start = Extract<ScopeCommand, { type: 'StartGeneration' }>;
const start = (planned: Partial<PlannedStart> = {}, part: Partial<Start> = {}): ScopeCommand => ({
  ...{ type: 'StartGeneration', scope: red, recipe: aRecipe(LARGE), cutover: 'gate', now: NOW },
  plan: { id: P1, limits: LIMITS, pricePerMillionTokens: 0.02, chunks: 110, ...planned },
  ...part,
});
const without: ScopeCommand = { type: 'StartGeneration', scope: red, recipe: aRecipe(LARGE), approval: 'required', now: NOW };
const days = (count: number): string => new Date(Date.parse(NOW) + count * 86_400_000).toISOString();

describe('the plan of a swap', () => {
  it('is recorded with a number, and replaced by the next one', () =>
    void given(...OPEN)
      .when(plan())
      .then(plannedAs(P1))
      .when(plan({ chunks: 7 }))
      .then(plannedAs(P2, { chunks: 7 })));

  it('is refused for a scope without documents, for its current model, and during a swap', () => {
    given().when(plan()).thenRefuses(NotFound);
    given(...OPEN)
      .when(plan({ recipe: aRecipe(MINI) }))
      .thenRefuses(Conflict, /has the model onnx:mini/);
    given(...OPEN, generationOf(2, LARGE))
      .when(plan())
      .thenRefuses(Conflict, /is already being built/);
  });

  it('is approved by another person, once', () =>
    void given(...PLANNED)
      .when(approve(BOB))
      .then(approvedBy(BOB))
      .when(approve({ actor: 'key-9' }))
      .then());

  it.each([
    ['the same key', { actor: 'key-1' }],
    ['another key of the same user', { actor: 'key-7', user: 'ann' }],
  ])('is not approved by the person who made it: %s', (_, by) =>
    given(...PLANNED)
      .when(approve(by))
      .thenRefuses(Forbidden, /plan p1 of scope "team:red" was made by you: another person/),
  );

  it('is not approved when it is unknown, was replaced or was used', () => {
    given(...OPEN)
      .when(approve(BOB))
      .thenRefuses(NotFound);
    given(...PLANNED)
      .when(approve(BOB, P2))
      .thenRefuses(NotFound);
    given(...PLANNED, plannedAs(P2))
      .when(approve(BOB))
      .thenRefuses(Conflict, /p1 .* was replaced by p2/);
    given(...PLANNED, startedBy(), retired)
      .when(approve(BOB))
      .thenRefuses(Conflict, /used already: it started generation g2/);
  });
});

describe('a swap that follows a plan', () => {
  it('starts as it was planned, and nothing happens when the same request is sent again', () =>
    void given(...PLANNED)
      .when(start())
      .then(startedBy())
      .when(start())
      .then());

  it('remembers the generation that it started', () =>
    given(...PLANNED)
      .when(start())
      .thenState(({ plan: latest }) => expect(latest).toMatchObject({ plan: 'p1', started: 'g2' })));

  it.each<[string, RegExp, ScopeCommand, readonly ScopeEvent[]]>([
    ['was replaced', /p1 .* was replaced by p2/, start(), [plannedAs(P2)]],
    ['was used', /was used already: it started generation g2/, start(), [startedBy(), retired]],
    ['is older than another swap', /before another swap/, start(), [generationOf(2, LARGE), retired]],
    ['is too old', /is 8 days old, and a plan holds for 7 days/, start({}, { now: days(8) }), []],
    ['has another size than the scope', /was made when the scope had 100 chunks; it has 121 now/, start({ chunks: 121 }), []],
    ['was made for another description of the model', /another description of the model/, start({}, { recipe: changed() }), []],
    ['was made for another model', /another description of the model/, start({}, { recipe: aRecipe(MINI) }), []],
    ['was made for another price', /price of the model was 0.02; it is 0.03 now/, start({ pricePerMillionTokens: 0.03 }), []],
    ['was made with other limits', /with other limits/, start({ limits: { ...LIMITS, batchSize: 32 } }), []],
    ['is for another cut-over', /is for the cut-over "gate", not "manual"/, start({}, { cutover: 'manual' }), []],
  ])('is refused if the plan %s', (_, why, command, later) =>
    given(...PLANNED, ...later)
      .when(command)
      .thenRefuses(Conflict, why),
  );

  it('does not depend on the order of the fields of a description', () =>
    void given(...PLANNED)
      .when(start({ limits: { batchSize: 16, tokensPerMinute: 1_000 } }))
      .then(startedBy()));

  it('is refused for an unknown plan', () =>
    given(...OPEN)
      .when(start())
      .thenRefuses(NotFound));
});

describe('an installation that requires approved plans', () => {
  const required = start({}, { approval: 'required' });

  it('refuses a start without a plan, and by a plan that no other person approved', () => {
    given(...PLANNED)
      .when(without)
      .thenRefuses(Conflict, /need an approved plan/);
    given(...PLANNED)
      .when(required)
      .thenRefuses(Conflict, /plan p1 .* is not approved yet: another person/);
  });

  it('starts by an approved plan', () =>
    void given(...PLANNED, approvedBy(BOB))
      .when(required)
      .then(startedBy()));

  it('does not accept the approval of an earlier plan', () =>
    given(...PLANNED, approvedBy(BOB), plannedAs(P2))
      .when(start({ id: P2 }, { approval: 'required' }))
      .thenRefuses(Conflict, /p2 .* not approved/));

  it('has nothing to refuse when nothing would be started', () =>
    void given(...OPEN)
      .when({ ...without, recipe: aRecipe(MINI) } as ScopeCommand)
      .then());
});

function changed() {
  const { embedding, ...rest } = aRecipe(LARGE);
  return { ...rest, embedding: { ...embedding, digest: 'f'.repeat(64) } };
}
