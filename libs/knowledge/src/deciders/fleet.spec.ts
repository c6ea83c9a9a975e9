import fc from 'fast-check';
import { LARGE, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, Forbidden, InvalidValue, KnowledgeError, NotFound } from '../errors.ts';
import type { FleetEvent, FleetPlan, LeftOutReason, RetiredScope, WaveCounts } from '../events/fleet-events.ts';
import { fleetId } from '../values/fleet.ts';
import { vectorScope } from '../values/scope.ts';
import { tenantId } from '../values/tenant.ts';
import { fleet, isOver, wavesOf, type FleetCommand } from './fleet.ts';

const { given } = specify(fleet);
const ID = fleetId('4f1c09ab77de');
const ACME = tenantId('acme');
const [RED, BLUE, GREEN] = ['team:red', 'team:blue', 'team:green'].map((name) => ({ tenant: ACME, scope: vectorScope(name) })) as [
  Readonly<{ tenant: typeof ACME; scope: ReturnType<typeof vectorScope> }>,
  Readonly<{ tenant: typeof ACME; scope: ReturnType<typeof vectorScope> }>,
  Readonly<{ tenant: typeof ACME; scope: ReturnType<typeof vectorScope> }>,
];
const PLAN: FleetPlan = {
  tenant: ACME,
  embeddingVersion: LARGE,
  canary: [RED],
  percents: [50, 100],
  rule: { worsePercent: 10, faults: 1, undecided: 'wait', advance: 'manual' },
  scopesAtOnce: 2,
  seed: 7,
};
const AUTOMATIC: FleetPlan = { ...PLAN, rule: { ...PLAN.rule, advance: 'automatic' } };

type Without<T> = T extends unknown ? Omit<T, 'fleet' | 'now'> : never;
const to = (command: Without<FleetCommand>): FleetCommand => ({ ...command, fleet: ID, now: NOW }) as FleetCommand;
const counts = (over: Partial<WaveCounts> = {}): WaveCounts => ({ scopes: 4, open: 0, moved: 4, worse: 0, faults: 0, leftOut: 0, ...over });
const record = (wave: number, over: Partial<WaveCounts> = {}) => to({ type: 'RecordWave', wave, counts: counts(over) });
const assign = (complete: boolean, ...waves: readonly number[]) =>
  to({
    type: 'AssignScopes',
    scopes: [RED, BLUE, GREEN].flatMap((scope, i) => (waves[i] === undefined ? [] : [{ ...scope, wave: waves[i] }])),
    complete,
  });
const [pause, resume, proceed, cancel, rollBack, retire] = [
  to({ type: 'PauseFleet', reason: 'maintenance', by: 'person' }),
  to({ type: 'ResumeFleet' }),
  to({ type: 'ContinueFleet' }),
  to({ type: 'CancelFleet' }),
  to({ type: 'RollBackFleet' }),
  to({ type: 'RetireFleet' }),
];

const started = (plan = PLAN): FleetEvent => ({ type: 'FleetStarted', data: { fleet: ID, ...plan, startedAt: NOW } });
const assigned = (complete: boolean, ...scopes: readonly Readonly<{ scope: typeof RED; wave: number }>[]): FleetEvent => ({
  type: 'FleetScopesAssigned',
  data: { fleet: ID, scopes: scopes.map(({ scope, wave }) => ({ ...scope, wave })), complete, assignedAt: NOW },
});
const waveStarted = (wave: number): FleetEvent => ({ type: 'FleetWaveStarted', data: { fleet: ID, wave, startedAt: NOW } });
const waveCompleted = (wave: number, over: Partial<WaveCounts> = {}): FleetEvent => ({
  type: 'FleetWaveCompleted',
  data: { fleet: ID, wave, counts: counts(over), completedAt: NOW },
});
const paused = (by: 'person' | 'rule' | 'platform', wave = 0, reason = 'maintenance'): FleetEvent => ({
  type: 'FleetPaused',
  data: { fleet: ID, wave, reason, by, pausedAt: NOW },
});
const resumed: FleetEvent = { type: 'FleetResumed', data: { fleet: ID, resumedAt: NOW } };
const accepted: FleetEvent = { type: 'FleetWaveAccepted', data: { fleet: ID, wave: 0, acceptedAt: NOW } };
const completed: FleetEvent = { type: 'FleetCompleted', data: { fleet: ID, completedAt: NOW } };
const cancelled: FleetEvent = { type: 'FleetCancelled', data: { fleet: ID, cancelledAt: NOW } };
const rolledBack: FleetEvent = { type: 'FleetRolledBack', data: { fleet: ID, rolledBackAt: NOW } };
const retired: FleetEvent = { type: 'FleetRetired', data: { fleet: ID, retiredAt: NOW } };

const THREE = assigned(true, { scope: RED, wave: 0 }, { scope: BLUE, wave: 1 }, { scope: GREEN, wave: 2 });
const RUNNING = [started(), THREE, waveStarted(0)];
const LAST = [...RUNNING, waveCompleted(0), waveStarted(1), waveCompleted(1), waveStarted(2), assigned(true)];

describe('starting a fleet', () => {
  it('records its plan, and its waves are named', () => {
    given()
      .when(to({ type: 'StartFleet', plan: PLAN }))
      .then(started());
    expect(wavesOf(PLAN)).toEqual(['canary', '50 %', 'all']);
    expect(wavesOf({ canary: [], percents: [100] })).toEqual(['all']);
  });
  it.each([[[]], [[1, 10]], [[10, 1, 100]], [[0, 100]], [[50, 50, 100]]])('refuses the shares %j', (percents) =>
    given()
      .when(to({ type: 'StartFleet', plan: { ...PLAN, percents } }))
      .thenRefuses(InvalidValue, /^percents: expected rising numbers/),
  );
  it('is possible once, and needed for everything else', () => {
    given(started())
      .when(to({ type: 'StartFleet', plan: PLAN }))
      .thenRefuses(Conflict);
    for (const command of [pause, resume, proceed, cancel, rollBack, retire, assign(true), record(0)])
      given().when(command).thenRefuses(NotFound);
  });
});

describe('planning a fleet', () => {
  const SUMS = { scopes: 3, documents: 3, chunks: 30, tokens: 150, reusable: 0, bytes: { vectors: 1_920 } };
  const embedding = { version: LARGE };
  const limits = { batchSize: 8 };
  const [ann, bob] = [{ actor: 'key-1', user: 'ann' }, { actor: 'key-2' }];
  const figures = { embedding, limits, total: SUMS, tenants: [], left: 0, chunksOfAll: 100, upTo: '7', by: ann };
  const planned: FleetEvent = { type: 'FleetPlanned', data: { fleet: ID, plan: PLAN, ...figures, plannedAt: NOW } };
  const approved: FleetEvent = { type: 'FleetPlanApproved', data: { fleet: ID, approvedAt: NOW, by: bob } };
  const plan = to({ type: 'PlanFleet', plan: PLAN, figures });
  const approve = (by: typeof ann | typeof bob) => to({ type: 'ApproveFleetPlan', by });
  const startIt = (over: Readonly<Record<string, unknown>> = {}, more: Readonly<Record<string, unknown>> = {}) =>
    to({ type: 'StartFleet', plan: PLAN, planned: { embedding, limits, chunksOfAll: 100, ...over }, ...more } as Without<FleetCommand>);

  it('records what it would take, once, and nothing else is possible before the start', () => {
    given().when(plan).then(planned).when(plan).thenRefuses(Conflict);
    given(started()).when(plan).thenRefuses(Conflict);
    for (const command of [pause, resume, proceed, cancel, rollBack, retire])
      given(planned)
        .when(command)
        .thenRefuses(Conflict, /only planned/);
  });
  it('is approved by another person, once', () => {
    given(planned)
      .when(approve(ann))
      .thenRefuses(Forbidden, /was made by you/);
    given(planned).when(approve(bob)).then(approved).when(approve(bob)).then();
    given(planned)
      .when(approve({ actor: 'key-3', user: 'ann' }))
      .thenRefuses(Forbidden);
    given().when(approve(bob)).thenRefuses(NotFound);
    given(planned, started())
      .when(approve(bob))
      .thenRefuses(Conflict, /was used already/);
  });
  it('is started exactly, once', () => {
    given(planned)
      .when(startIt({}, { plan: AUTOMATIC }))
      .thenRefuses(Conflict, /is for another fleet/);
    given(planned)
      .when(startIt())
      .then(started())
      .when(startIt())
      .thenRefuses(Conflict, /was used already/);
  });
  it('is approved first if the installation says so', () => {
    const approval = { approval: 'required' };
    given(planned)
      .when(startIt({}, approval))
      .thenRefuses(Conflict, /is not approved yet/);
    given(planned, approved).when(startIt({}, approval)).then(started());
    given()
      .when(to({ type: 'StartFleet', plan: PLAN, approval: 'required' }))
      .thenRefuses(Conflict, /need an approved plan/);
    given().when(startIt()).thenRefuses(NotFound);
  });
  it.each([
    [{ chunksOfAll: 121 }, /had 100 chunks; they have 121 now/],
    [{ embedding: { version: LARGE, queryPrefix: 'query: ' } }, /another description of the model/],
    [{ limits: {} }, /other limits of the model/],
    [{ pricePerMillionTokens: 2 }, /was unknown; it is 2 now/],
  ])('does not hold any more with %j', (over, why) => void given(planned).when(startIt(over)).thenRefuses(Conflict, why));
});

describe('assigning scopes', () => {
  it('happens in parts, each scope once, and the last part starts the first wave', () =>
    void given(started())
      .when(assign(false, 0))
      .then(assigned(false, { scope: RED, wave: 0 }))
      .when(assign(false, 0))
      .then()
      .when(assign(true, 2, 1, 2))
      .then(assigned(true, { scope: BLUE, wave: 1 }, { scope: GREEN, wave: 2 }), waveStarted(0))
      .when(assign(true, 2, 1, 2))
      .then());
  it('adds scopes that arrived later to the last wave, which is not complete before', () =>
    void given(started(), assigned(true, { scope: RED, wave: 0 }), waveStarted(0), waveCompleted(0), waveStarted(1), waveCompleted(1))
      .when(proceed)
      .then(waveStarted(2))
      .when(record(2))
      .then()
      .when(assign(true, 2, 2))
      .then(assigned(true, { scope: BLUE, wave: 2 }))
      .when(record(2))
      .then(waveCompleted(2), completed));
  it('ends with the fleet', () => void given(started(), cancelled).when(assign(true, 0)).then());
});

describe('a wave', () => {
  it('is complete once nothing is open, and the fleet waits for a person', () =>
    void given(...RUNNING)
      .when(record(0, { open: 1 }))
      .then()
      .when(record(0))
      .then(waveCompleted(0))
      .when(record(0))
      .then()
      .when(proceed)
      .then(waveStarted(1))
      .when(record(0))
      .then());
  it('is followed by the next one if the fleet goes on automatically, or if it has no scopes', () => {
    given(started(AUTOMATIC), THREE, waveStarted(0)).when(record(0)).then(waveCompleted(0), waveStarted(1));
    given(...RUNNING)
      .when(record(0, { scopes: 0, moved: 0 }))
      .then(waveCompleted(0, { scopes: 0, moved: 0 }), waveStarted(1));
  });
  it('completes the fleet if it is the last one', () =>
    void given(...LAST)
      .when(record(2))
      .then(waveCompleted(2), completed));
  it('stops the fleet if more scopes are worse than the rule accepts, also before it is complete', () => {
    const reason = 'the evaluation found a loss in 1 of 4 scopes of the wave (25.0 %); the rule accepts 10 %';
    given(...RUNNING)
      .when(record(0, { open: 2, worse: 1 }))
      .then(paused('rule', 0, reason))
      .when(record(0))
      .then();
    given(...RUNNING)
      .when(record(0, { scopes: 10, worse: 1 }))
      .then(waveCompleted(0, { scopes: 10, worse: 1 }));
  });
  it('stops the fleet if more scopes failed than the rule accepts', () =>
    void given(...RUNNING)
      .when(record(0, { open: 1, faults: 1 }))
      .then()
      .when(record(0, { open: 1, faults: 2 }))
      .then(paused('rule', 0, 'the model or a store failed for 2 of 4 scopes of the wave; the rule accepts 1')));
  it('can be accepted by a person, and the next one follows once it is done', () =>
    void given(...RUNNING, paused('rule'))
      .when(proceed)
      .then(accepted)
      .when(record(0, { open: 1, worse: 4 }))
      .then()
      .when(record(0, { worse: 4 }))
      .then(waveCompleted(0, { worse: 4 }), waveStarted(1))
      .when(record(1, { worse: 4 }))
      .then(paused('rule', 1, 'the evaluation found a loss in 4 of 4 scopes of the wave (100.0 %); the rule accepts 10 %')));
});

describe('pausing', () => {
  it('records the reason once, and resuming ends it', () =>
    void given(...RUNNING)
      .when(pause)
      .then(paused('person'))
      .when(pause)
      .then()
      .when(resume)
      .then(resumed)
      .when(resume)
      .then());
  it('stops waves', () =>
    void given(...RUNNING, paused('person'))
      .when(record(0))
      .then());
  it('is refused where there is nothing to pause, with what to do instead', () => {
    given(started())
      .when(pause)
      .thenRefuses(Conflict, /try again/);
    given(...RUNNING, waveCompleted(0))
      .when(pause)
      .thenRefuses(Conflict, /waits after wave 1/);
    given(...RUNNING, waveCompleted(0))
      .when(resume)
      .thenRefuses(Conflict, /continue it instead/);
    given(...RUNNING, paused('person'))
      .when(proceed)
      .thenRefuses(Conflict, /resume it instead/);
    given(...RUNNING)
      .when(proceed)
      .thenRefuses(Conflict, /wave 1 .* is not complete yet/);
    for (const command of [pause, resume, proceed])
      given(...LAST, waveCompleted(2), completed)
        .when(command)
        .thenRefuses(Conflict, /is complete/);
  });
});

describe('the end of a fleet', () => {
  it('can be a cancellation at any time before, once', () => {
    for (const history of [[started()], RUNNING, [...RUNNING, paused('rule')], [...RUNNING, waveCompleted(0)]])
      given(...history)
        .when(cancel)
        .then(cancelled)
        .when(cancel)
        .then();
    given(...LAST, waveCompleted(2), completed)
      .when(cancel)
      .thenRefuses(Conflict, /roll it back instead/);
    given(...RUNNING, rolledBack)
      .when(cancel)
      .thenRefuses(Conflict, /is rolled back/);
  });
  it('can be a rollback at any time, also after another end, once', () => {
    for (const history of [RUNNING, [...RUNNING, paused('person')], [...RUNNING, cancelled], [...LAST, waveCompleted(2), completed]])
      given(...history)
        .when(rollBack)
        .then(rolledBack)
        .when(rollBack)
        .then();
  });
});

describe('retiring', () => {
  const COMPLETE = [...LAST, waveCompleted(2), completed];
  it('is possible after the end, once, and ends the possibility of a rollback', () => {
    for (const history of [COMPLETE, [...RUNNING, cancelled]])
      given(...history)
        .when(retire)
        .then(retired)
        .when(retire)
        .then()
        .when(rollBack)
        .thenRefuses(Conflict, /was retired at .*, so it cannot be rolled back: start a fleet to the previous model/);
  });
  it('is refused before, with the state of the fleet', () => {
    for (const history of [[started()], RUNNING, [...RUNNING, paused('person')], [...RUNNING, waveCompleted(0)]])
      given(...history)
        .when(retire)
        .thenRefuses(Conflict, /is not finished \((?:assigning|running|paused|waiting)\): it can be retired once/);
    given(...RUNNING, rolledBack)
      .when(retire)
      .thenRefuses(Conflict, /is rolled back: its scopes use their previous generations/);
  });
  it('records each scope once, with the bytes that were measured', () => {
    const freed = { memory: 100, disk: 1_000 };
    const scopesRetired = (...scopes: readonly RetiredScope[]): FleetEvent => ({
      type: 'FleetScopesRetired',
      data: { fleet: ID, scopes, retiredAt: NOW },
    });
    const OTHER = { tenant: ACME, scope: vectorScope('team:other') };
    given(...COMPLETE, retired)
      .when(to({ type: 'RecordRetired', scopes: [{ ...RED, freed }, OTHER] }))
      .then(scopesRetired({ ...RED, freed }))
      .when(to({ type: 'RecordRetired', scopes: [RED, BLUE] }))
      .then(scopesRetired(BLUE));
    given(...COMPLETE)
      .when(to({ type: 'RecordRetired', scopes: [RED] }))
      .then();
  });
});

describe('scopes that are left out', () => {
  const leaveOut = (reason: LeftOutReason) => to({ type: 'LeaveOut', scopes: [{ ...RED, reason }] });
  const leftOut = (reason: LeftOutReason): FleetEvent => ({
    type: 'FleetScopesLeftOut',
    data: { fleet: ID, scopes: [{ ...RED, reason }], leftOutAt: NOW },
  });
  it('are recorded once for each reason, also after the end', () =>
    void given(...RUNNING, rolledBack)
      .when(leaveOut('own-swap'))
      .then(leftOut('own-swap'))
      .when(leaveOut('own-swap'))
      .then()
      .when(leaveOut('cannot-roll-back'))
      .then(leftOut('cannot-roll-back')));
  it('are scopes of the fleet', () => void given(started()).when(leaveOut('erased')).then());
});

describe('any sequence of commands', () => {
  const wave = fc.integer({ min: 0, max: 3 });
  const some = fc.record({
    scopes: fc.integer({ min: 0, max: 5 }),
    open: fc.integer({ min: 0, max: 1 }),
    worse: fc.integer({ min: 0, max: 1 }),
  });
  const command = fc.oneof(
    fc.tuple(wave, some).map(([of, over]) => record(of, over)),
    fc.boolean().map((complete) => assign(complete, 0, 1, 2)),
    fc.constantFrom(pause, resume, proceed, cancel, rollBack, retire),
  );

  it('starts the waves in order, each after the one before, and none after the end', () =>
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state = fleet.evolve(fleet.initial(), started(), 0);
        const waves: number[] = [];
        for (const one of commands) {
          let events: readonly FleetEvent[] = [];
          const over = isOver(state);
          try {
            events = fleet.decide(one, state);
          } catch (error) {
            expect(error).toBeInstanceOf(KnowledgeError);
          }
          for (const event of events) {
            if (event.type === 'FleetWaveStarted') {
              expect(over).toBe(false);
              waves.push(event.data.wave);
            }
            state = fleet.evolve(state, event, 0);
            expect(state.paused !== undefined).toBe(state.stage === 'paused');
          }
        }
        expect(waves).toEqual(waves.map((_, i) => i));
        if (state.stage === 'complete') expect([...state.completed.keys()]).toEqual([0, 1, 2]);
      }),
      { numRuns: 500 },
    ));
});
