import type { FleetPlanRequest } from '@palimpsest/client';
import { InvalidArgumentError, type Command } from 'commander';
import { collect, oneOf, wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';
import { recipeOf } from './swap-recipe.ts';

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

/** What a fleet moves, and how: of a start and of a plan. */
export type FleetOptions = Readonly<{
  model?: string;
  chunking?: string;
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

export const addFleetOptions = (command: Command): Command =>
  command
    .option('--model <version>', 'one of the available models of `palimpsest status` (default: the current model)')
    .option(
      '--chunking <file>',
      'chunk all documents again: with the settings of a JSON file, or `knowledge-base`: with those of each knowledge base',
    )
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
    .option('--seed <number>', 'of the order of the scopes', wholeNumber(0, 4_294_967_295));

/** What was not given is not sent. */
export const fleetOf = async (options: FleetOptions, session: Pick<Session, 'cwd'>): Promise<FleetPlanRequest> => {
  const { model, chunking, allTenants, canary, waves, worse, faults, undecided, automatic, atOnce, seed } = options;
  return {
    ...(await recipeOf({ ...(model === undefined ? {} : { model }), ...(chunking === undefined ? {} : { chunking }) }, session)),
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
};
