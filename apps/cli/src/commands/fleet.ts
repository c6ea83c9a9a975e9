import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetChanged, FleetView, NewFleet, PalimpsestClient } from '@palimpsest/client';
import { InvalidArgumentError } from 'commander';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collect, oneOf, wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';
import { linesOfFleet } from '../render/fleet.ts';

const POLL_MS = 500;

export const addFleet: AddCommand = (program, asAction) => {
  const fleet = program.command('fleet').description('Move many scopes to another embedding model in waves, and back.');
  const named = (name: string, description: string) => fleet.command(name).description(description).argument('<id>', 'id of the fleet');
  const latest = (name: string, description: string) =>
    fleet.command(name).description(description).argument('[id]', 'id of the fleet (default: the newest one)');
  fleet.command('list', { isDefault: true }).description('List fleets, the newest first.').action(asAction(list));
  fleet
    .command('start')
    .description('Start to move all scopes of the tenant to another model. Each scope gets a swap with a gate.')
    .option('--model <version>', 'one of the available models of `palimpsest status` (default: the current model)')
    .option('--all-tenants', 'the scopes of all tenants; needs the role operator')
    .option('--canary <scope>', 'a scope of a first wave: <scope> or <tenant>/<scope>; may be repeated', collect)
    .option('--waves <percents>', 'share of all scopes that is reached with each further wave (default: 1,10,100)', percents)
    .option('--worse <percent>', 'stop if more than this share of a wave is worse (default: 0)', percent)
    .option('--faults <number>', 'stop if more than this number of scopes of a wave fails (default: 0)', wholeNumber(0, 1_000_000))
    .option(
      '--undecided <what>',
      'what to do with scopes whose evaluation is undecided: wait, cut-over (default: wait)',
      oneOf(['wait', 'cut-over']),
    )
    .option('--automatic', 'go on after each wave (default: wait for `fleet continue`)')
    .option('--at-once <number>', 'swaps at the same time (default: 4)', wholeNumber(1, 100))
    .option('--seed <number>', 'of the order of the scopes', wholeNumber(0, 4_294_967_295))
    .action(asAction(start));
  latest('status', 'Show the waves of a fleet, and the scopes that need attention.').action(asAction(status));
  latest('watch', 'Show the progress until the fleet waits, is paused or has ended.').action(asAction(watch));
  named('pause', 'Start no further swap, and pause those that are being built.')
    .option('--reason <text>', 'shown with the status of the fleet')
    .action(asAction(pause));
  named('resume', 'Resume a paused fleet, also swaps that failed.').action(
    asAction(act((client, id, options) => client.fleets.resume(id, options))),
  );
  named('continue', 'Start the next wave. After a stop by the rule, accept the outcome of this one.').action(
    asAction(act((client, id, options) => client.fleets.continue(id, options))),
  );
  named('cancel', 'Start no further swap, and cancel those before their cut-over.').action(
    asAction(act((client, id, options) => client.fleets.cancel(id, options))),
  );
  named('rollback', 'Let every scope that the fleet moved use its previous generation again.').action(
    asAction(act((client, id, options) => client.fleets.rollBack(id, options))),
  );
  named('retire', 'After the end: delete what the moved scopes used before. The fleet cannot be rolled back afterwards.').action(
    asAction(act((client, id, options) => client.fleets.retire(id, options))),
  );
};

const percent = (raw: string): number => {
  const value = Number(raw);
  if (raw.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('Must be a number from 0 to 100.');
  return value;
};

const percents = (raw: string): readonly number[] => raw.split(',').map(percent);

/** `team:red` or `acme/team:red`. */
const canaryOf = (raw: string) => {
  const [first = '', ...rest] = raw.split('/');
  return rest.length === 0 ? { scope: first } : { tenant: first, scope: rest.join('/') };
};

type StartOptions = Readonly<{
  model?: string;
  allTenants?: true;
  canary?: readonly string[];
  waves?: readonly number[];
  worse?: number;
  faults?: number;
  undecided?: 'wait' | 'cut-over';
  automatic?: true;
  atOnce?: number;
  seed?: number;
}>;

const start = async (session: Session, options: StartOptions): Promise<number> => {
  const { model, allTenants, canary, waves, worse, faults, undecided, automatic, atOnce, seed } = options;
  const fleet: NewFleet = {
    embeddingVersion: model,
    allTenants,
    canary: canary?.map(canaryOf),
    percents: waves,
    worsePercent: worse,
    faults,
    undecided,
    advance: automatic ? 'automatic' : undefined,
    scopesAtOnce: atOnce,
    seed,
  };
  return show(session, await session.connect().fleets.start(fleet, { signal: session.signal }));
};

const list = async ({ output, signal, connect }: Session): Promise<number> => {
  const fleets = await connect().fleets.list({ signal });
  output.result({ fleets }, () => {
    output.table(
      ['fleet', 'scopes of', 'state', 'wave', 'model'],
      fleets.map(({ id, tenant, state, wave, waves, embeddingVersion }) => [
        id,
        tenant ?? 'all tenants',
        state,
        `${wave}/${waves.length}`,
        embeddingVersion,
      ]),
    );
  });
  return EXIT.ok;
};

/** @throws UsageError if there is none */
const find = async ({ connect, signal }: Session, id: string | undefined): Promise<FleetView> => {
  const { fleets } = connect();
  if (id !== undefined) return fleets.get(id, { signal });
  const [newest] = await fleets.list({ signal });
  if (newest === undefined) throw new UsageError('there is no fleet yet: start one with `palimpsest fleet start`');
  return newest;
};

const status = async (session: Session, _options: unknown, id?: string): Promise<number> => show(session, await find(session, id));

const isAtWork = ({ state, unfinished, retired }: FleetView): boolean =>
  state === 'assigning' ||
  state === 'running' ||
  ((state === 'cancelled' || state === 'rolled-back' || retired !== undefined) && unfinished > 0);

/** Interrupting the command does not stop the server's work. */
const watch = async (session: Session, _options: unknown, id?: string): Promise<number> => {
  const { output, signal } = session;
  let view = await find(session, id);
  const total = view.waves.reduce((sum, { scopes }) => sum + scopes, 0);
  const bar = output.progress('scopes', total);
  try {
    while (isAtWork(view)) {
      bar.update(total - view.unfinished);
      await sleep(POLL_MS, undefined, { signal });
      view = await session.connect().fleets.get(view.id, { signal });
    }
  } finally {
    bar.stop();
  }
  show(session, view);
  return view.paused && view.paused.by !== 'person' ? EXIT.someFailed : EXIT.ok;
};

const pause = async (session: Session, { reason }: Readonly<{ reason?: string }>, id: string): Promise<number> =>
  show(session, await session.connect().fleets.pause(id, reason, { signal: session.signal }));

type CallOptions = Readonly<{ signal: AbortSignal }>;

const act =
  (run: (client: PalimpsestClient, id: string, options: CallOptions) => Promise<FleetChanged>) =>
  async (session: Session, _options: unknown, id: string): Promise<number> =>
    show(session, await run(session.connect(), id, { signal: session.signal }));

const show = ({ output }: Session, view: FleetView): number => {
  output.result(view, () => linesOfFleet(view).forEach((line) => output.line(line)));
  return EXIT.ok;
};
